# Everything that tools register; libraries in the order of the rooms.
tapestry_add_library(TapestryInitAll
  InitAll.cpp

  PCH
  LINK
    TapestryIndexIR
    TapestryTapestryIR
    TapestryTRAIR
    TapestryCommIR
    TapestryTapestryToTRA
    TapestryTRAToComm
    TapestryCommToRuntime
    TapestryCodegen
)
