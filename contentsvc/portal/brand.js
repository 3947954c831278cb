/** How the studio shows its service, beside the name in `service.js`. With the option `brand`, the daemon
 * sends what its file says in place of these. */

export const brand = {
  /** Whether there is one. */
  isOwn: false,
  tagline: "",
  /** Pictures of the header, below this folder; "" is none. `logoDark` is for the dark theme. */
  logo: "",
  logoDark: "",
};
