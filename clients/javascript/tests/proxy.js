/** A proxy before the daemon, that fails as a test wants. */
import { once } from "node:events";
import http from "node:http";

import { SERVICE } from "./support.js";

/**
 * The URL of a proxy that ends with test `t`. For each request `act(request)` may give {status, body}
 * to answer in place of the daemon, {take} or {give}: how many bytes of the request's or the answer's
 * body pass before the connection is cut, -1 for not even the answer's head, {change}: what to make of
 * each piece of the answer's body, or {silent}: nothing passes any more.
 */
export async function proxy(t, act) {
  const server = http.createServer(async (request, response) => {
    const faults = act(request) ?? {};
    if (faults.status) {
      request.resume();
      response.writeHead(faults.status).end(faults.body);
      return;
    }
    if (faults.silent) return;
    const { method, url, headers, socket } = request;
    const asked = http.request(SERVICE + url, { method, headers, agent: false });
    const cut = () => {
      asked.destroy();
      socket.destroy();
    };
    asked.on("error", cut);
    request.on("error", cut);
    asked.on("response", (answer) => {
      if (faults.give < 0) return cut();
      response.writeHead(answer.statusCode, answer.headers);
      return pass(answer, response, faults.give, faults.change).catch(cut);
    });
    await pass(request, asked, faults.take).catch(cut);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

async function pass(from, to, most = Infinity, change = (piece) => piece) {
  let passed = 0;
  for await (const piece of from) {
    if (passed + piece.length > most) {
      to.write(change(piece.subarray(0, most - passed)));
      await new Promise((resolve) => setImmediate(resolve)); // the bytes leave before the cut
      throw new Error("cut");
    }
    passed += piece.length;
    if (!to.write(change(piece))) await once(to, "drain");
  }
  to.end();
}
