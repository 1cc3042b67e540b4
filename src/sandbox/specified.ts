/** The answers that the interface specification names (section 7), word for word. */
export const specified = {
  ok: { status: 200, msg: "Update Items OK." },
  versionMissing: { status: 400, msg: "Please specify database version." },
  versionInvalid: { status: 400, msg: "Invalid database version." },
  invalidToken: { status: 401, msg: "Invalid API key." },
  internal: { status: 500, msg: "Something went wrong. Please try again later." },
} as const;
