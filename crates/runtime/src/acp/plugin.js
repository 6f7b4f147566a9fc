// Runs inside of opencode. The Agent Client Protocol has no word for an attempt that broke off and is made again, and
// opencode streams the next one as if it went on with the first. It tells plugins, and this one tells Paseo: as
// notifications of its own between those of the protocol.
//
// What opencode streams comes a moment after what it tells plugins. So an attempt is over when the next one begins, not
// when it broke: opencode waits for seconds in between.
const tell = (params) => {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method: "_paseo/retry", params }) + "\n");
};

export const Paseo = async () => {
  const waiting = new Set();
  return {
    event: async ({ event }) => {
      const { sessionID, status, info } = event.properties ?? {};
      if (event.type === "session.status" && status?.type === "retry") {
        waiting.add(sessionID);
        tell({ sessionId: sessionID, stage: "waiting", attempt: status.attempt, message: status.message });
      } else if (event.type === "session.status" && waiting.delete(sessionID) && status?.type === "busy") {
        tell({ sessionId: sessionID, stage: "begins" });
      } else if (event.type === "message.updated" && info?.role === "assistant" && info.time?.completed) {
        // A stream that ended without a word about its end: opencode asks again, in another message.
        if (info.finish === "unknown" || info.finish === "other") {
          tell({ sessionId: info.sessionID, stage: "unfinished", messageId: info.id });
        }
      }
    },
  };
};
