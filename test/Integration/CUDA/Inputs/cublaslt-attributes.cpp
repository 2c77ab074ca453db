// Whether cuBLASLt itself, which needs no GPU for that, takes what
// runtime/lib/CUDA sets, and has all functions that it looks for.
#include "CUDA/CublasLtAPI.h"
#include <cstdio>
#include <dlfcn.h>
#include <initializer_list>

using namespace tapestry::rt::cuda;

static int wrong = 0;

static void expectGood(const char *what, lt::Status status) {
  if (status == 0)
    return;
  fprintf(stderr, "%s: status %d\n", what, status);
  ++wrong;
}

int main(int, char **words) {
  void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  lt::API api;
#define FIND(result, name, parameters)                                         \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, #name));      \
  if (!api.name) {                                                             \
    fprintf(stderr, "lacks %s\n", #name);                                      \
    return 1;                                                                  \
  }
  TAPESTRY_CUBLASLT_FUNCTIONS(FIND)

  lt::Operation operation;
  int32_t turned = lt::transposed;
  uint32_t epilogue = lt::epilogueReLU | lt::epilogueBias;
  const void *bias = &turned;
  expectGood("an operation", api.cublasLtMatmulDescCreate(
                                 &operation, lt::computeF32, lt::realF32));
  auto set = [&](const char *what, int attribute, const auto &value) {
    expectGood(what, api.cublasLtMatmulDescSetAttribute(
                         operation, attribute,
                         static_cast<const void *>(&value), sizeof(value)));
  };
  set("transposeA", lt::transposeA, turned);
  set("transposeB", lt::transposeB, turned);
  set("epilogue", lt::epilogue, epilogue);
  set("biasPointer", lt::biasPointer, bias);

  lt::Layout layout;
  int32_t count = 3;
  int64_t stride = 0;
  expectGood("a layout",
             api.cublasLtMatrixLayoutCreate(&layout, lt::realBF16, 30, 20, 31));
  expectGood("batchCount", api.cublasLtMatrixLayoutSetAttribute(
                               layout, lt::batchCount, &count, sizeof(count)));
  expectGood("batchStride",
             api.cublasLtMatrixLayoutSetAttribute(layout, lt::batchStride,
                                                  &stride, sizeof(stride)));

  lt::Preference preference;
  uint64_t workspace = 1 << 20;
  uint32_t alignment = 4;
  expectGood("a preference", api.cublasLtMatmulPreferenceCreate(&preference));
  expectGood("mostWorkspace",
             api.cublasLtMatmulPreferenceSetAttribute(
                 preference, lt::mostWorkspace, &workspace, sizeof(workspace)));
  uint32_t schemes = lt::wideSums;
  expectGood("schemes",
             api.cublasLtMatmulPreferenceSetAttribute(
                 preference, lt::schemes, &schemes, sizeof(schemes)));
  for (int attribute :
       {lt::alignmentA, lt::alignmentB, lt::alignmentC, lt::alignmentD})
    expectGood("an alignment",
               api.cublasLtMatmulPreferenceSetAttribute(
                   preference, attribute, &alignment, sizeof(alignment)));
  return wrong != 0;
}
