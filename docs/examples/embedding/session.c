/* Trains on tensors that stay distributed: a program that was compiled before
 * is applied to a session's tensors again and again. docs/Embedding.md says how
 * it is built. */
#include "tapestry-rt/Runtime.h"
#include <stdio.h>
#include <stdlib.h>

extern const TapestryProgram tapestry_program_step;

static void check(TapestrySession *session, int status) {
  if (status == 0)
    return;
  fprintf(stderr, "session: %s\n", tapestry_session_message(session));
  exit(status);
}

int main(void) {
  TapestrySessionOptions options = {TAPESTRY_SESSION_VERSION, sizeof(options),
                                    /*devices=*/4, /*memory_limit=*/0,
                                    /*progress=*/0};
  const char *problem;
  TapestrySession *session = tapestry_session_open(&options, &problem);
  if (!session) {
    fprintf(stderr, "session: %s\n", problem);
    return 2;
  }

  /* From files, and from this program's memory. */
  check(session, tapestry_session_load(session, "X", "X.npy", NULL));
  check(session, tapestry_session_load(session, "Y", "Y.npy", NULL));
  const int64_t shape[1] = {7};
  const float zeros[7] = {0};
  check(session,
        tapestry_session_put(session, "W", TAPESTRY_F32, 1, shape, zeros));

  /* Output Wn is the W of the next step. */
  const TapestryBinding keep = {"Wn", "W"};
  for (int step = 0; step < 50; ++step)
    check(session, tapestry_session_apply(session, &tapestry_program_step,
                                          &keep, 1, NULL));

  /* Some elements, wherever they lie. */
  const TapestryRange some[1] = {{2, 5}};
  float weights[3];
  check(session, tapestry_session_read(session, "W", some, weights));
  printf("W[2:5] = %.3f %.3f %.3f\n", weights[0], weights[1], weights[2]);
  check(session, tapestry_session_checkpoint(session, "trained"));
  tapestry_session_close(session);
  return 0;
}
