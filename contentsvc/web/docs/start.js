"use strict";

// A proxy may serve the API below a path of its own. Then it is beside this page, not at the root.
const base = new URL(".", location.href).pathname;

const besideThisPage = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (original) => (document) => {
          const { flows } = document.components.securitySchemes.password;
          flows.password.tokenUrl = base + flows.password.tokenUrl.slice(1);
          return original({ ...document, servers: [{ url: base }] });
        },
      },
    },
  },
});

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#page",
  deepLinking: true,
  docExpansion: "list",
  plugins: [besideThisPage],
});
