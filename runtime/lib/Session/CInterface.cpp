//===- CInterface.cpp - Sessions from C -----------------------------------===//
//
// Implements tapestry-rt/Session.h.
//
//===----------------------------------------------------------------------===//

#include "Session/Session.h"
#include "tapestry-rt/Runtime.h"

using namespace tapestry;
using namespace tapestry::rt;

struct TapestrySession {
  explicit TapestrySession(const TapestrySessionOptions &options)
      : session(options) {}

  int end(const Status &status) {
    if (status.failed())
      message = printableLines(status.message());
    return status.exitStatus();
  }

  Session session;
  std::string message;
};

static std::string textOf(const char *text) { return text ? text : ""; }

const char *tapestry_type_name(int32_t dtype) {
  return isKnownDType(dtype) ? dtypeName(dtype) : nullptr;
}

int64_t tapestry_type_bytes(int32_t dtype) { return dtypeSize(dtype); }

TapestrySession *tapestry_session_open(const TapestrySessionOptions *options,
                                       const char **problem) {
  static thread_local std::string text;
  text.clear();
  if (!options || options->version != TAPESTRY_SESSION_VERSION)
    text = format("the caller was built for version %u of sessions, this "
                  "runtime has version %d",
                  options ? options->version : 0, TAPESTRY_SESSION_VERSION);
  else if (options->struct_size != sizeof(TapestrySessionOptions))
    text = format("the options have %u bytes, this runtime knows %zu",
                  options->struct_size, sizeof(TapestrySessionOptions));
  else if (options->devices < 1 || options->devices > maxLocalRanks)
    text = format("a session has 1 to %lld devices, not %lld",
                  static_cast<long long>(maxLocalRanks),
                  static_cast<long long>(options->devices));
  else if (options->memory_limit < 0)
    text = format("the memory limit is %lld bytes",
                  static_cast<long long>(options->memory_limit));
  if (problem)
    *problem = text.c_str();
  return text.empty() ? new TapestrySession(*options) : nullptr;
}

void tapestry_session_close(TapestrySession *session) { delete session; }

const char *tapestry_session_message(const TapestrySession *session) {
  return session->message.c_str();
}

int tapestry_session_load(TapestrySession *session, const char *name,
                          const char *path, const char *type) {
  return session->end(
      session->session.load(textOf(name), textOf(path), textOf(type)));
}

int tapestry_session_put(TapestrySession *session, const char *name,
                         int32_t dtype, int32_t rank, const int64_t *shape,
                         const void *data) {
  return session->end(session->session.put(
      textOf(name), {"", dtype, rank, shape, nullptr, nullptr}, data));
}

int tapestry_session_apply(TapestrySession *session,
                           const TapestryProgram *program,
                           const TapestryBinding *bindings,
                           int64_t num_bindings, const char *report_path) {
  if (!program)
    return session->end(
        Status::failure(ExitBadInput, "error: there is no program to apply"));
  return session->end(session->session.apply(
      *program, {bindings, bindings + num_bindings}, textOf(report_path)));
}

int64_t tapestry_session_count(const TapestrySession *session) {
  return static_cast<int64_t>(session->session.all().size());
}

const char *tapestry_session_name(const TapestrySession *session,
                                  int64_t number) {
  const Session::Tensors &tensors = session->session.all();
  if (number < 0 || number >= static_cast<int64_t>(tensors.size()))
    return nullptr;
  return std::next(tensors.begin(), number)->first.c_str();
}

int tapestry_session_describe(TapestrySession *session, const char *name,
                              TapestryTensor *tensor) {
  Status status;
  if (const HeldTensor *found = session->session.find(textOf(name), status))
    *tensor =
        found->table(session->session.all().find(textOf(name))->first.c_str());
  return session->end(status);
}

const void *tapestry_session_part(const TapestrySession *session,
                                  const char *name, int64_t device) {
  Status status;
  const HeldTensor *found = session->session.find(textOf(name), status);
  if (!found || device < 0 || device >= session->session.ranks())
    return nullptr;
  return found->parts[device];
}

int tapestry_session_read(TapestrySession *session, const char *name,
                          const TapestryRange *box, void *data) {
  return session->end(session->session.read(textOf(name), box, data));
}

int tapestry_session_export(TapestrySession *session, const char *name,
                            const char *path) {
  return session->end(session->session.exportTo(textOf(name), textOf(path)));
}

int tapestry_session_checkpoint(TapestrySession *session, const char *path) {
  return session->end(session->session.checkpoint(textOf(path)));
}

int tapestry_session_restore(TapestrySession *session, const char *path) {
  return session->end(session->session.restore(textOf(path)));
}

int tapestry_session_drop(TapestrySession *session, const char *name) {
  return session->end(session->session.drop(textOf(name)));
}
