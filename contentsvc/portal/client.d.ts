export * from "../../clients/javascript/types/index.js";
