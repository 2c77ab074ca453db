# Everything that tools register; libraries in the order of the rooms.
tapestry_add_library(TapestryInitAll
  InitAll.cpp
  InitTargets.cpp

  PCH
  LINK
    TapestryPlugin
    TapestryIndexIR
    TapestryIndexTransforms
    TapestryTapestryIR
    TapestryTapestryTransforms
    TapestryTRAIR
    TapestryTRATransforms
    TapestryCommIR
    TapestryTapestryToTRA
    TapestryTRAToComm
    TapestryCommToRuntime
    TapestryCodegen
    TapestryCodegenCPU
    TapestryCodegenGPU
    TapestryPipelines
)
