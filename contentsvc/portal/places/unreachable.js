/** What is shown where a place could not be fetched: the service is away, or has been upgraded. */
import { answers, isRenewed, renew } from "../renewal.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Button } from "../parts/basics.js";
import { useTitle } from "../parts/hooks.js";
import { Empty, Waiting } from "../parts/states.js";

/** Milliseconds until the service is asked again. */
const PAUSE = 5_000;

export default function Unreachable() {
  useTitle(t("unreachable.title"));
  const [tries, setTries] = useState(0);
  const [stuck, setStuck] = useState(false);
  useEffect(() => {
    let timer = 0;
    let left = false;
    void answers().then((there) => {
      if (left) return;
      if (!there) timer = setTimeout(() => setTries(tries + 1), PAUSE);
      else if (isRenewed()) setStuck(true);
      else renew();
    });
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [tries]);
  if (!tries && !stuck) return html`<${Waiting} />`;
  return html`
    <h1>${t("unreachable.title")}</h1>
    <div role="alert">
      <${Empty} title=${t(stuck ? "error.other" : "unreachable.away")}>
        ${
          stuck
            ? html`
              <${Button} kind="main" onClick=${renew}>
                ${t("action.retry")}
              <//>
            `
            : html`<${Waiting} label=${t("unreachable.waiting")} />`
        }
      <//>
    </div>
  `;
}
