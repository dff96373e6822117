// A player in a browser: signs in, sits down with bots, watches and plays a match to its end over gRPC-Web. Prints one
// line of JSON about how it went. Arguments: address of the edge, origin of the page, what to do (see below).
import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { WhistOptionsSchema } from "./gen/levata/table/v1/whist_pb.js";
import { IdentityService } from "./gen/levata/ledger/v1/identity_pb.js";
import { TableService, TableStatus, BotLevel } from "./gen/levata/table/v1/table_pb.js";

const [address, origin, task = "match"] = process.argv.slice(2);
const random = () => randomUUID();

// A browser puts the page's origin into every request, and asks before it sends one that is not simple.
let token = "";
let table = "";
const asBrowser = (next) => async (request) => {
  request.header.set("origin", origin);
  request.header.set("accept-language", "en");
  if (token) request.header.set("authorization", `Bearer ${token}`);
  if (table) request.header.set("levata-table", table);
  return next(request);
};
const transport = createGrpcWebTransport({ baseUrl: address, interceptors: [asBrowser] });
const identity = createClient(IdentityService, transport);
const tables = createClient(TableService, transport);

async function preflight() {
  const answer = await fetch(`${address}/${TableService.typeName}/ListTables`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,x-grpc-web",
    },
  });
  return answer.headers.get("access-control-allow-origin");
}

async function signIn() {
  const answer = await identity.createGuest({
    requestId: random(),
    name: `Web${random().slice(0, 8)}`,
    deviceSecret: crypto.getRandomValues(new Uint8Array(32)),
  });
  token = answer.tokens.accessToken;
}

// Watches the table and plays whatever is legal, until the match is over. `drops` times the stream is cut off in the
// middle, and taken up again with the last revision seen.
async function play(drops) {
  const made = await tables.createTable({
    requestId: random(),
    options: {
      game: { game: { case: "whist", value: create(WhistOptionsSchema) } },
      seats: 3,
      botLevel: BotLevel.NOVICE,
    },
  });
  table = made.tableId;
  await tables.startTable({ requestId: random(), tableId: table });
  let revision = 0n;
  let repeats = 0;
  let acted = 0;
  let resumed = 0;
  let last = null;
  for (;;) {
    const cut = new AbortController();
    let updates = 0;
    try {
      for await (const message of tables.watchTable({ tableId: table, afterRevision: revision }, { signal: cut.signal })) {
        if (message.message.case !== "update") continue;
        const update = message.message.value;
        if (update.revision <= revision && !update.snapshot) repeats += 1;
        revision = update.revision;
        if (!update.table) continue;
        last = update.table;
        if (last.status === TableStatus.FINISHED) return { status: "finished", acted, resumed, repeats, standings: last.standings.length, table };
        const legal = update.private?.legalActions ?? [];
        if (legal.length > 0) {
          await act(legal[0], revision);
          acted += 1;
        }
        updates += 1;
        if (resumed < drops && updates >= 5) {
          resumed += 1;
          cut.abort();
        }
      }
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Canceled) throw error;
    }
  }
}

async function act(action, revision) {
  const requestId = random();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await tables.submitAction({ requestId, tableId: table, action, revision });
    } catch (error) {
      const code = ConnectError.from(error).code;
      if (code === Code.Aborted || code === Code.FailedPrecondition) return undefined; // the table moved on
      if (attempt === 5 || ![Code.Unavailable, Code.ResourceExhausted].includes(code)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** attempt));
    }
  }
}

// An answer of the edge itself is no 200, as HTTP goes; then the details are in the header still. The reason is the first field
// of google.rpc.ErrorInfo, a text, for which no stub needs to be made.
function reasonOf(error) {
  const { details } = findTrailerError(error.metadata) ?? error;
  const info = details.find((detail) => detail.type === "google.rpc.ErrorInfo");
  return info && new TextDecoder().decode(info.value.subarray(2, 2 + info.value[1]));
}

const tasks = {
  // A whole match.
  match: async () => {
    await signIn();
    return play(0);
  },
  // The same, cut off and resumed again and again.
  dropping: async () => {
    await signIn();
    return play(8);
  },
  // Without a token.
  stranger: () => tables.listTables({}),
  // With a token that somebody else signed, given in the environment.
  foreign: () => {
    token = process.env.FOREIGN_TOKEN;
    return tables.listTables({});
  },
};

try {
  const allowed = await preflight();
  console.log(JSON.stringify({ allowed, ...(await tasks[task]()) }, (_, value) => (typeof value === "bigint" ? String(value) : value)));
} catch (error) {
  const refused = ConnectError.from(error);
  console.log(JSON.stringify({ allowed: await preflight(), refused: Code[refused.code], reason: reasonOf(refused), message: refused.rawMessage }));
}
