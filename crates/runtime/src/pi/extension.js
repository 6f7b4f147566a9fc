// Paseo's side inside of pi: our tools, the question whether a tool may be used, and why a model failed.
//
// Written for pi 0.73 and 1.x. It talks to Paseo in requests of pi's own RPC mode: `setStatus` tells, `input` asks. In a
// terminal it writes down what happens, in the file `record`, and asks whoever sits there.
// What it is to do stands in PASEO_PI, as JSON; the token of our servers is PASEO_TOKEN.

import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const settings = JSON.parse(process.env.PASEO_PI ?? "{}");
const servers = settings.servers ?? [];

export default async function paseo(pi) {
  // What throws here ends pi, with its words on stderr: better than an agent without its tools.
  await bringTools(pi);
  if (settings.endpoint) pi.registerProvider(settings.endpoint.provider, { baseUrl: settings.endpoint.url });

  pi.on("session_start", (_event, ctx) => {
    withhold(pi);
    tell(ctx, { ready: true, file: ctx.sessionManager?.getSessionFile?.() });
  });
  // Tools that come later, such as those of the user's own servers.
  pi.on("before_agent_start", () => withhold(pi));

  // What throws here blocks the tool.
  pi.on("tool_call", async (event, ctx) => {
    if (!settings.ask || isOurs(event.toolName)) return mark(event);
    if (typeof event.input.path === "string") event.input.path = plain(event.input.path, ctx.cwd);
    const question = JSON.stringify({ call: event.toolCallId, tool: event.toolName, input: event.input });
    if (settings.leave) return (await mayInTerminal(question, event, ctx)) ?? mark(event);
    const said = await ctx.ui.input("paseo", question, { signal: ctx.signal });
    const answer = said === undefined ? undefined : JSON.parse(said);
    if (answer?.allow !== true) return { block: true, reason: answer?.reason ?? "Permission denied." };
    // What was allowed is what runs, to the byte.
    for (const name of Object.keys(event.input)) delete event.input[name];
    Object.assign(event.input, answer.input);
    return mark(event);
  });
  pi.on("tool_execution_end", (event) => unmark(event));

  watchFailures(pi);
  if (settings.record) recordTurns(pi);
}

/** Asks the daemon, and the person at the terminal where it leaves that to them. Returns why not, if not. */
async function mayInTerminal(question, event, ctx) {
  let { decision, reason } = await post(settings.leave, question, ctx.signal);
  if (decision === "allow") return undefined;
  if (decision === "ask" && (await ctx.ui.confirm(`Allow ${event.toolName}?`, JSON.stringify(event.input)))) {
    // They may have taken their time: what was theirs to decide may be none by now.
    ({ decision, reason } = await post(settings.leave, question, ctx.signal));
    if (decision !== "deny") return undefined;
  }
  record({ type: "denied", call: event.toolCallId });
  return { block: true, reason: reason ?? "Permission denied." };
}

/** Asks the daemon by its socket, where it knows this process. */
function post(path, body, signal) {
  const socketPath = `${process.env.PASEO_HOME}/daemon.sock`;
  const headers = { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = http.request({ socketPath, path, method: "POST", headers, signal }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece) => (text += piece));
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode !== 200) return reject(new Error(`Paseo refused: ${text.slice(0, 500)}`));
        try {
          resolve(JSON.parse(text));
        } catch {
          reject(new Error("Paseo did not respond with JSON"));
        }
      });
    });
    sent.on("error", reject);
    sent.setTimeout(60_000, () => sent.destroy(new Error("Paseo did not respond in time")));
    sent.end(body);
  });
}

/** The commands that run. */
const commands = new Set();

/** Gives a command a variable by which Paseo finds what it leaves running, and nobody else: pi starts more than commands. */
function mark({ toolName, toolCallId }) {
  if (toolName !== "bash" && toolName !== "powershell") return;
  commands.add(toolCallId);
  process.env.PASEO_PI_COMMAND = "1";
}

function unmark({ toolCallId }) {
  if (commands.delete(toolCallId) && commands.size === 0) delete process.env.PASEO_PI_COMMAND;
}

/** Tells Paseo something. */
function tell(ctx, what) {
  if (settings.record) return record({ type: "told", ...what });
  ctx.ui.setStatus("paseo", JSON.stringify(what));
}

/** This process, in what it writes down, and how many lines it wrote. */
const run = randomUUID();
let written = 0;

/** Writes down that something happened. A line has a name, by which it is known again. */
function record(what) {
  const line = JSON.stringify({ id: `${run}-${++written}`, at: Date.now(), ...what });
  appendFileSync(settings.record, `${line}\n`, { mode: 0o600 });
}

/** Writes down what is said and done, and when nothing goes on any more. */
function recordTurns(pi) {
  let running = false;
  let failures = 0;
  let waiting;
  const stopped = (ctx) => ctx.signal?.aborted === true;
  pi.on("agent_start", () => {
    clearTimeout(waiting);
    running = true;
    record({ type: "agent_start" });
  });
  pi.on("turn_start", () => record({ type: "turn_start" }));
  pi.on("message_start", ({ message }) => {
    if (message.role === "user") record({ type: "message_start", message });
  });
  pi.on("message_end", ({ message }) => {
    if (message.role === "assistant") record({ type: "message_end", message });
  });
  pi.on("tool_execution_start", ({ toolCallId, toolName, args }) =>
    record({ type: "tool_execution_start", toolCallId, toolName, args }),
  );
  pi.on("tool_execution_end", ({ toolCallId, toolName, result, isError }, ctx) =>
    record({ type: "tool_execution_end", toolCallId, toolName, result, isError, aborted: stopped(ctx) }),
  );
  const over = () => {
    clearTimeout(waiting);
    if (running) record({ type: "settled" });
    running = false;
    failures = 0;
  };
  // Newer ones say it.
  pi.on("agent_settled", over);
  // An older one may try again after a while, or go on with what was typed meanwhile.
  pi.on("agent_end", ({ messages }, ctx) => {
    const last = [...(messages ?? [])].reverse().find((message) => message.role === "assistant");
    failures = last?.stopReason === "error" ? failures + 1 : 0;
    const look = () => {
      if (!goesOn(ctx)) return over();
      waiting = setTimeout(look, 50);
    };
    clearTimeout(waiting);
    waiting = setTimeout(look, failures > 0 ? untilRetry(failures) : 50);
  });
}

function goesOn(ctx) {
  try {
    return !ctx.isIdle() || ctx.hasPendingMessages();
  } catch {
    // Another conversation took its place.
    return false;
  }
}

/** Returns how long pi waits before it tries again, so often has it failed, and some more. */
function untilRetry(failures) {
  const { enabled = true, maxRetries = 3, baseDelayMs = 2000 } = retries();
  return enabled && failures <= maxRetries ? baseDelayMs * 2 ** (failures - 1) + 1000 : 50;
}

function retries() {
  try {
    const home = process.env.PI_CODING_AGENT_DIR ?? join(homedir(), ".pi", "agent");
    return JSON.parse(readFileSync(join(home, "settings.json"), "utf8")).retry ?? {};
  } catch {
    return {};
  }
}

/** The names of our tools, whole: another server's may begin like ours. */
const ours = new Set();

function isOurs(tool) {
  return ours.has(tool);
}

/** Returns a path that means to everybody what it means to pi, which knows `~`, `@` in front, and strange spaces. */
function plain(path, directory) {
  const spaces = path.replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " ");
  const name = spaces.startsWith("@") ? spaces.slice(1) : spaces;
  const full = name === "~" || name.startsWith("~/") ? homedir() + name.slice(1) : name;
  return resolve(directory, full);
}

/** Takes the tools away that this agent has not been granted. They would be refused: this is so that the model knows. */
function withhold(pi) {
  const without = settings.without ?? [];
  const active = pi.getActiveTools();
  const left = active.filter((tool) => !without.includes(tool));
  if (left.length < active.length) pi.setActiveTools(left);
}

/** Tells the status that the model's server answered with when a request fails: pi itself only has words for it. */
function watchFailures(pi) {
  let failed;
  const fetch = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    const response = await fetch(...request);
    failed = response.ok ? undefined : { status: response.status, retryAfter: response.headers.get("retry-after") };
    return response;
  };
  pi.on("turn_start", () => {
    failed = undefined;
  });
  pi.on("message_end", (event, ctx) => {
    if (event.message.role === "assistant" && event.message.stopReason === "error") tell(ctx, { failed: failed ?? {} });
  });
}

/** Makes the tools of our servers known. Not by pi's own MCP: older ones have none, and that of newer ones gives up on a
 * call after five minutes, whatever its timeout says. */
async function bringTools(pi) {
  for (const { name, url } of servers) {
    const client = new Client(url);
    const tools = await client.open().catch((error) => {
      throw new Error(`the MCP server ${name} at ${url} is unavailable: ${error.message}`);
    });
    for (const tool of tools.map((tool) => bridged(client, name, tool))) {
      ours.add(tool.name);
      pi.registerTool(tool);
    }
  }
}

/** Returns a tool of a server as pi takes it. */
function bridged(client, server, tool) {
  return {
    name: `mcp__${server}__${tool.name}`,
    label: tool.title ?? tool.name,
    description: tool.description ?? "",
    parameters: tool.inputSchema ?? { type: "object", properties: {} },
    async execute(_call, input, signal) {
      const result = await client.request("tools/call", { name: tool.name, arguments: input }, signal);
      const content = (result.content ?? []).map(block);
      // The only way to tell the model that it failed.
      if (result.isError) throw new Error(content.map((part) => part.text ?? "").join("\n"));
      return { content, details: {} };
    },
  };
}

function block(content) {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text };
    case "image":
      return { type: "image", data: content.data, mimeType: content.mimeType };
    default:
      return { type: "text", text: JSON.stringify(content) };
  }
}

/** MCP over HTTP, as far as tools need it. Not by `fetch`, which gives up after five minutes without an answer. */
class Client {
  #url;
  #headers = {
    authorization: `Bearer ${process.env.PASEO_TOKEN ?? ""}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  #last = 0;

  constructor(url) {
    this.#url = new URL(url);
  }

  /** Introduces itself; returns the tools. */
  async open() {
    const clientInfo = { name: "paseo-pi", version: "1" };
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const answer = await this.request("initialize", hello);
    this.#headers["mcp-protocol-version"] = answer.protocolVersion ?? hello.protocolVersion;
    await this.#post({ jsonrpc: "2.0", method: "notifications/initialized" });
    const tools = [];
    let cursor;
    do {
      const page = await this.request("tools/list", cursor === undefined ? {} : { cursor });
      tools.push(...(page.tools ?? []));
      cursor = page.nextCursor;
    } while (cursor);
    return tools;
  }

  async request(method, params, signal) {
    const id = ++this.#last;
    const messages = await this.#post({ jsonrpc: "2.0", id, method, params }, signal);
    const answer = messages.find((message) => message.id === id);
    if (answer?.error) throw new Error(answer.error.message ?? "the call failed without a reason");
    if (!answer?.result) throw new Error(`no response to ${method}`);
    return answer.result;
  }

  /** Posts a message; returns those that come back. */
  #post(message, signal) {
    const { request } = this.#url.protocol === "https:" ? https : http;
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, { method: "POST", headers: this.#headers, signal }, (response) => {
        const session = response.headers["mcp-session-id"];
        if (session) this.#headers["mcp-session-id"] = session;
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (piece) => (body += piece));
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode: status } = response;
          if (status < 200 || status > 299) return reject(new Error(`the server responded with status ${status}: ${body.slice(0, 500)}`));
          try {
            resolve(messagesIn(body, response.headers["content-type"] ?? ""));
          } catch {
            reject(new Error("the server did not respond with JSON"));
          }
        });
      });
      sent.on("error", reject);
      sent.setTimeout((settings.timeout ?? 3900) * 1000, () => sent.destroy(new Error("the server did not respond in time")));
      sent.end(JSON.stringify(message));
    });
  }
}

function messagesIn(body, type) {
  if (!type.startsWith("text/event-stream")) return body.trim() === "" ? [] : [JSON.parse(body)].flat();
  const events = body.split(/\r?\n\r?\n/);
  const data = (event) => event.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
  return events.map(data).filter((text) => text.trim() !== "").map((text) => JSON.parse(text));
}
