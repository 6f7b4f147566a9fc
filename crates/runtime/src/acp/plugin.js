// Runs inside opencode. The Agent Client Protocol has no word for an attempt that broke off and is made again, and
// opencode streams the next one as if it went on with the first. It tells plugins, and this one tells Paseo, with
// notifications of its own between those of the protocol.
//
// The two do not come in order: what opencode streams makes a detour through its own HTTP server, so text of an attempt
// can arrive after the next one began, or never. So for a message that was tried again, this tells the text that
// opencode kept, and Paseo goes by that.
const tell = (sessionID, stage, params) => {
  const told = { sessionId: sessionID, stage, ...params };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method: "_paseo/retry", params: told }) + "\n");
};

export const Paseo = async () => {
  // What each session that works does: its message, the calls that have not run, and the messages tried again.
  const sessions = new Map();
  const of = (id) => {
    if (!sessions.has(id)) sessions.set(id, { waits: false, message: undefined, calls: new Set(), again: new Set() });
    return sessions.get(id);
  };

  const status = (id, status) => {
    if (status?.type === "idle") return sessions.delete(id);
    const session = of(id);
    if (status?.type === "retry") {
      session.waits = true;
      tell(id, "waiting", { attempt: status.attempt, message: status.message });
    } else if (session.waits) {
      session.waits = false;
      if (session.message) session.again.add(session.message);
      tell(id, "begins", { messageId: session.message, calls: [...session.calls] });
      session.calls.clear();
    }
  };

  const message = (info) => {
    if (info?.role !== "assistant") return;
    const session = of(info.sessionID);
    if (!info.time?.completed) {
      session.message = info.id;
    } else if (info.finish === "unknown" || info.finish === "other") {
      // A stream that ended without a word about its end: opencode asks again, in another message.
      tell(info.sessionID, "unfinished", { messageId: info.id });
    }
  };

  const part = (part) => {
    const session = of(part.sessionID);
    if (part.type === "tool") {
      if (part.state?.status === "pending") session.calls.add(part.callID);
      else session.calls.delete(part.callID);
    } else if (part.type === "text" && part.time?.end && session.again.has(part.messageID)) {
      tell(part.sessionID, "said", { messageId: part.messageID, partId: part.id, text: part.text });
    }
  };

  return {
    event: async ({ event }) => {
      const properties = event.properties ?? {};
      if (event.type === "session.status") status(properties.sessionID, properties.status);
      else if (event.type === "message.updated") message(properties.info);
      else if (event.type === "message.part.updated") part(properties.part);
    },
  };
};
