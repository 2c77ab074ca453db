// Starts the program that the first argument names, with the rest of the line.
#include "tapestry-rt/ABI.h"
#include <cstring>

extern "C" const TapestryProgram tapestry_program_rows;
extern "C" const TapestryProgram tapestry_program_columns;

int main(int argc, char **argv) {
  const TapestryProgram *programs[] = {&tapestry_program_rows,
                                       &tapestry_program_columns};
  for (const TapestryProgram *program : programs)
    if (argc > 1 && strcmp(argv[1], program->name) == 0)
      return tapestry_rt_main(argc - 1, argv + 1, program);
  return 2;
}
