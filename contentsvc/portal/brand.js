/** What the studio calls its service. With the option `brand`, the service sends what its file says instead
 * of this. */

export const brand = {
  /** Whether a studio says it. */
  isOwn: false,
  name: "contentsvc",
  tagline: "",
  /** Pictures of the header, below this folder; "" is none. `logoDark` is for the dark theme. */
  logo: "",
  logoDark: "",
};
