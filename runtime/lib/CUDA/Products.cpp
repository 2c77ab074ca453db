//===- Products.cpp - Products by cuBLASLt --------------------------------===//
//
// The library stores matrices column by column: what we store row by row is
// the transposed one to it. It is asked for the transposed result, which is the
// product of the transposed factors in the other order, so that our right is
// its A and our left its B.
//
//===----------------------------------------------------------------------===//

#include "CUDA/Products.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <vector>

using namespace tapestry;
using namespace tapestry::rt;
using namespace tapestry::rt::cuda;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

namespace {

template <typename Type>
bool find(void *library, const char *name, Type *&function,
          TransportError &error) {
  function = reinterpret_cast<Type *>(dlsym(library, name));
  if (!function)
    snprintf(error.text, sizeof(error.text), "its library lacks %s", name);
  return function != nullptr;
}

/// What TAPESTRY_CUBLASLT names, or the newest that is found.
void *openLibrary(TransportError &error) {
  const char *named = getenv("TAPESTRY_CUBLASLT");
  std::vector<const char *> names = {"libcublasLt.so.13", "libcublasLt.so.12"};
  if (named && *named)
    names = {named};
  for (const char *name : names) {
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
    size_t length = strlen(error.text);
    snprintf(error.text + length, sizeof(error.text) - length, "%s%s",
             length ? "; " : "", dlerror());
  }
  return nullptr;
}

bool load(lt::API &api, TransportError &error) {
  void *library = openLibrary(error);
  if (!library)
    return false;
#define TAPESTRY_CUBLASLT_FIND(result, name, parameters)                       \
  if (!find(library, #name, api.name, error))                                  \
    return false;
  TAPESTRY_CUBLASLT_FUNCTIONS(TAPESTRY_CUBLASLT_FIND)
#undef TAPESTRY_CUBLASLT_FIND
  return true;
}

int typeOf(int64_t dtype) {
  switch (dtype) {
  case TAPESTRY_F64:
    return lt::realF64;
  case TAPESTRY_F16:
    return lt::realF16;
  case TAPESTRY_BF16:
    return lt::realBF16;
  case TAPESTRY_I8:
    return lt::realI8;
  case TAPESTRY_I32:
    return lt::realI32;
  default:
    return lt::realF32;
  }
}

/// What terms are added in, and the type of alpha and beta.
std::pair<int, int> computeTypes(const TapestryProduct &product) {
  if (product.left.dtype == TAPESTRY_F64)
    return {lt::computeF64, lt::realF64};
  if (product.left.dtype == TAPESTRY_I8)
    return {lt::computeI32, lt::realI32};
  bool rounds = product.tf32 && product.left.dtype == TAPESTRY_F32;
  return {rounds ? lt::computeTF32 : lt::computeF32, lt::realF32};
}

uint32_t epilogueOf(const TapestryProduct &product) {
  uint32_t epilogue = 0;
  if (product.epilogue & TAPESTRY_EPILOGUE_BIAS)
    epilogue |= lt::epilogueBias;
  if (product.epilogue & TAPESTRY_EPILOGUE_RELU)
    epilogue |= lt::epilogueReLU;
  if (product.epilogue & TAPESTRY_EPILOGUE_GELU)
    epilogue |= lt::epilogueGELU;
  return epilogue ? epilogue : lt::epilogueNone;
}

/// The largest power of two, up to 256, that an address is a multiple of.
uint32_t alignmentOf(const void *memory) {
  auto address = reinterpret_cast<uintptr_t>(memory) | 256;
  return static_cast<uint32_t>(address & -address);
}

/// A factor as the library reads it.
union Scalar {
  double f64;
  float f32;
  int32_t i32;

  Scalar(double value, int type) {
    if (type == lt::realF64)
      f64 = value;
    else if (type == lt::realI32)
      i32 = static_cast<int32_t>(value);
    else
      f32 = static_cast<float>(value);
  }
};

} // namespace

const lt::API *tapestry::rt::cuda::openCublasLt(TransportError &error) {
  static std::mutex mutex;
  static lt::API *opened = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (!opened) {
    lt::API api;
    if (!load(api, error))
      return nullptr;
    opened = new lt::API(api);
  }
  return opened;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

Products::~Products() {
  for (auto &[key, chosen] : known)
    destroy(chosen);
  if (handle)
    api->cublasLtDestroy(handle);
}

void Products::destroy(Chosen &chosen) {
  for (lt::Layout layout : chosen.layouts)
    if (layout)
      api->cublasLtMatrixLayoutDestroy(layout);
  if (chosen.operation)
    api->cublasLtMatmulDescDestroy(chosen.operation);
}

bool Products::check(const char *call, lt::Status status,
                     TransportError &error) const {
  if (status == 0)
    return true;
  const char *name = api->cublasLtGetStatusName(status);
  snprintf(error.text, sizeof(error.text), "%s: %s", call,
           name ? name : "an unknown error");
  return false;
}

bool Products::open(TransportError &error) {
  if (handle)
    return true;
  api = openCublasLt(error);
  return api && check("cublasLtCreate", api->cublasLtCreate(&handle), error);
}

Products::Key Products::keyOf(const TapestryProduct &product,
                              const ProductMemory &memory) {
  Key key = {};
  static_assert(sizeof(product) + 6 * sizeof(key[0]) == sizeof(key));
  memcpy(key.data(), &product, sizeof(product));
  const void *places[] = {memory.left, memory.right, memory.addend,
                          memory.result, memory.bias};
  size_t at = sizeof(product) / sizeof(key[0]);
  for (const void *place : places)
    key[at++] = alignmentOf(place);
  key[at] = static_cast<int64_t>(memory.workspaceBytes);
  return key;
}

/// Rows are the library's columns.
bool Products::layOut(const TapestryMatrix &matrix, int64_t rows,
                      int64_t columns, int64_t batches, lt::Layout &layout,
                      TransportError &error) {
  if (matrix.transposed)
    std::swap(rows, columns);
  auto count = static_cast<int32_t>(batches);
  if (!check("cublasLtMatrixLayoutCreate",
             api->cublasLtMatrixLayoutCreate(
                 &layout, typeOf(matrix.dtype), static_cast<uint64_t>(columns),
                 static_cast<uint64_t>(rows), matrix.pitch),
             error))
    return false;
  return check("cublasLtMatrixLayoutSetAttribute",
               api->cublasLtMatrixLayoutSetAttribute(layout, lt::batchCount,
                                                     &count, sizeof(count)),
               error) &&
         check("cublasLtMatrixLayoutSetAttribute",
               api->cublasLtMatrixLayoutSetAttribute(layout, lt::batchStride,
                                                     &matrix.batch,
                                                     sizeof(matrix.batch)),
               error);
}

/// The address is of the operation, which serves others, too.
bool Products::setBias(Chosen &chosen, const void *bias,
                       TransportError &error) {
  return !bias || check("cublasLtMatmulDescSetAttribute",
                        api->cublasLtMatmulDescSetAttribute(
                            chosen.operation, lt::biasPointer,
                            static_cast<const void *>(&bias), sizeof(bias)),
                        error);
}

bool Products::describe(const TapestryProduct &product,
                        const ProductMemory &memory, Chosen &chosen,
                        TransportError &error) {
  auto [compute, scale] = computeTypes(product);
  auto set = [&](int attribute, const auto &value) {
    return check("cublasLtMatmulDescSetAttribute",
                 api->cublasLtMatmulDescSetAttribute(
                     chosen.operation, attribute, &value, sizeof(value)),
                 error);
  };
  int32_t a = product.right.transposed ? lt::transposed : lt::asItIs;
  int32_t b = product.left.transposed ? lt::transposed : lt::asItIs;
  return check("cublasLtMatmulDescCreate",
               api->cublasLtMatmulDescCreate(&chosen.operation, compute, scale),
               error) &&
         set(lt::transposeA, a) && set(lt::transposeB, b) &&
         set(lt::epilogue, epilogueOf(product)) &&
         setBias(chosen, memory.bias, error) &&
         layOut(product.right, product.terms, product.columns, product.batches,
                chosen.layouts[0], error) &&
         layOut(product.left, product.rows, product.terms, product.batches,
                chosen.layouts[1], error) &&
         layOut(product.result, product.rows, product.columns, product.batches,
                chosen.layouts[2], error);
}

bool Products::ask(const TapestryProduct &product, const ProductMemory &memory,
                   Chosen &chosen, lt::Preference preference,
                   TransportError &error) {
  auto set = [&](int attribute, const auto &value) {
    return check("cublasLtMatmulPreferenceSetAttribute",
                 api->cublasLtMatmulPreferenceSetAttribute(
                     preference, attribute, &value, sizeof(value)),
                 error);
  };
  const void *addend = memory.addend ? memory.addend : memory.result;
  // Results may be narrower than sums.
  if (!set(lt::mostWorkspace, memory.workspaceBytes) ||
      !set(lt::schemes, lt::wideSums) ||
      !set(lt::alignmentA, alignmentOf(memory.right)) ||
      !set(lt::alignmentB, alignmentOf(memory.left)) ||
      !set(lt::alignmentC, alignmentOf(addend)) ||
      !set(lt::alignmentD, alignmentOf(memory.result)))
    return false;
  lt::Heuristic best = {};
  int count = 0;
  auto &[a, b, d] = chosen.layouts;
  lt::Status status = api->cublasLtMatmulAlgoGetHeuristic(
      handle, chosen.operation, a, b, d, d, preference, 1, &best, &count);
  if (status == lt::notSupported || (status == 0 && count == 0))
    best.status = lt::notSupported;
  else if (!check("cublasLtMatmulAlgoGetHeuristic", status, error))
    return false;
  if (best.status != 0) {
    snprintf(error.text, sizeof(error.text),
             "cuBLASLt has no algorithm for a product of %lld x %lld by %lld x "
             "%lld (compiled with --gpu-products=generated, the program does "
             "without)",
             static_cast<long long>(product.rows),
             static_cast<long long>(product.terms),
             static_cast<long long>(product.terms),
             static_cast<long long>(product.columns));
    return false;
  }
  chosen.algorithm = best.algorithm;
  return true;
}

bool Products::choose(const TapestryProduct &product,
                      const ProductMemory &memory, Chosen &chosen,
                      TransportError &error) {
  lt::Preference preference = nullptr;
  bool good = describe(product, memory, chosen, error) &&
              check("cublasLtMatmulPreferenceCreate",
                    api->cublasLtMatmulPreferenceCreate(&preference), error) &&
              ask(product, memory, chosen, preference, error);
  if (preference)
    api->cublasLtMatmulPreferenceDestroy(preference);
  return good;
}

bool Products::multiply(const TapestryProduct &product,
                        const ProductMemory &memory, Stream stream,
                        TransportError &error) {
  if (product.batches > INT32_MAX) {
    snprintf(error.text, sizeof(error.text),
             "%lld products are more than cuBLASLt takes at once",
             static_cast<long long>(product.batches));
    return false;
  }
  auto [place, isNew] = known.try_emplace(keyOf(product, memory));
  Chosen &chosen = place->second;
  if (isNew && !choose(product, memory, chosen, error)) {
    destroy(chosen);
    known.erase(place);
    return false;
  }
  if (!setBias(chosen, memory.bias, error))
    return false;
  int scale = computeTypes(product).second;
  Scalar alpha(product.alpha, scale), beta(product.beta, scale);
  const void *addend = memory.addend ? memory.addend : memory.result;
  auto &[a, b, d] = chosen.layouts;
  return check("cublasLtMatmul",
               api->cublasLtMatmul(handle, chosen.operation, &alpha,
                                   memory.right, a, memory.left, b, &beta,
                                   addend, d, memory.result, d,
                                   &chosen.algorithm, memory.workspace,
                                   memory.workspaceBytes, stream),
               error);
}
