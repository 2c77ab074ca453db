/* Blocks that write into the file POINTS_LOG when they begin and end, and of one
 * whether the file POINTS_FILE is there. */
#include "tapestry-rt/Block.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void tell(const char *what, const TapestryBlockCall *call) {
  const char *path = getenv("POINTS_LOG");
  FILE *file = path ? fopen(path, "a") : 0;
  char line[64];
  if (!file)
    return;
  snprintf(line, sizeof(line), "%s %d\n", what, (int)call->lo[0]);
  fputs(line, file); /* one write: the file is closed right behind it */
  fclose(file);
}

static void scale(const TapestryBlockCall *call, float by) {
  for (int64_t i = call->lo[0]; i < call->hi[0]; ++i)
    *(float *)tapestry_block_at1(&call->outputs[0], i) =
        by * *(float *)tapestry_block_at1(&call->inputs[0], i);
}

/* The first device is late. */
TAPESTRY_BLOCK(before) {
  if (call->lo[0] == 0 && getenv("POINTS_LOG"))
    usleep(200000);
  scale(call, 2);
  tell("before", call);
  return 0;
}

TAPESTRY_BLOCK(after) {
  tell("after", call);
  scale(call, 3);
  return 0;
}

/* It reads nothing. */
TAPESTRY_BLOCK(made) {
  tell("after", call);
  for (int64_t i = call->lo[0]; i < call->hi[0]; ++i)
    *(float *)tapestry_block_at1(&call->outputs[0], i) =
        (float)call->params[0].number * (float)i;
  return 0;
}

TAPESTRY_BLOCK(look) {
  const char *path = getenv("POINTS_FILE");
  tell(path && access(path, R_OK) == 0 ? "whole" : "missing", call);
  scale(call, 3);
  return 0;
}
