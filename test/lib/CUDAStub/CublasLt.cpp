//===- CublasLt.cpp - A library of products for the tests' devices --------===//
//
// libcublasLt.so.13 for tests: what the plug-in libtapestry-rt-cuda.so calls of
// cuBLASLt, on the memory of the driver of the tests, in a wider type. It
// refuses what the real one is documented to refuse of what the plug-in may
// ask, and matrices that do not lie in one allocation.
//
//===----------------------------------------------------------------------===//

#include "CUDA/CublasLtAPI.h"
#include "Work.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

using namespace tapestry::rt::cuda;
using namespace tapestry::rt::cuda::lt;

struct tapestry::rt::cuda::lt::LtContext {
  StubRunFn run;
  StubHasFn has;
};

struct tapestry::rt::cuda::lt::LtOperation {
  int compute, scale;
  int32_t transposeA = asItIs, transposeB = asItIs;
  uint32_t epilogue = epilogueNone;
  const void *bias = nullptr;
};

struct tapestry::rt::cuda::lt::LtLayout {
  int type;
  uint64_t rows, columns;
  int64_t pitch;
  int32_t count = 1;
  int64_t stride = 0;
};

struct tapestry::rt::cuda::lt::LtPreference {
  uint64_t workspace = 0;
  uint32_t schemes = 7;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

namespace {

size_t bytesOf(int type) {
  return type == realF64                       ? 8
         : type == realF32 || type == realI32  ? 4
         : type == realF16 || type == realBF16 ? 2
                                               : 1;
}

float fromBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t toBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

double fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double size = exponent == 31  ? fraction ? NAN : INFINITY
                : exponent == 0 ? std::ldexp(fraction, -24)
                                : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -size : size;
}

double load(const char *at, int type) {
  switch (type) {
  case realF64: {
    double value;
    memcpy(&value, at, sizeof(value));
    return value;
  }
  case realF32: {
    float value;
    memcpy(&value, at, sizeof(value));
    return value;
  }
  case realI32: {
    int32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
  }
  case realI8:
    return static_cast<int8_t>(*at);
  default: {
    uint16_t bits;
    memcpy(&bits, at, sizeof(bits));
    return type == realF16 ? fromHalf(bits) : fromBits(uint32_t(bits) << 16);
  }
  }
}

/// To nearest even, by the current rounding.
uint16_t toHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double size = std::fabs(value);
  if (std::isnan(value))
    return 0x7e00;
  if (size >= 65520)
    return sign | 0x7c00;
  int exponent = size < 6.103515625e-05 ? -14 : std::ilogb(size);
  auto units =
      static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  // What is rounded up to the next power carries into the exponent.
  return sign | static_cast<uint16_t>(((exponent + 14) << 10) + units);
}

uint16_t toBF16(double value) {
  uint32_t bits = toBits(static_cast<float>(value));
  if (std::isnan(value))
    return 0x7fc0;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void store(double value, char *at, int type) {
  if (type == realF64) {
    memcpy(at, &value, sizeof(value));
  } else if (type == realF32) {
    auto rounded = static_cast<float>(value);
    memcpy(at, &rounded, sizeof(rounded));
  } else if (bytesOf(type) == 2) {
    uint16_t bits = type == realF16 ? toHalf(value) : toBF16(value);
    memcpy(at, &bits, sizeof(bits));
  } else {
    auto whole = static_cast<int32_t>(static_cast<int64_t>(value));
    memcpy(at, &whole, sizeof(whole));
  }
}

/// As TF32 has it: 10 bits behind the 1.
double round10(double value) {
  uint32_t bits = toBits(static_cast<float>(value));
  return fromBits((bits + 0x0fff + (bits >> 13 & 1)) & ~uint32_t(0x1fff));
}

/// Elements of a layout from the first to the last.
size_t span(const LtLayout &layout) {
  return (layout.columns - 1) * static_cast<size_t>(layout.pitch) +
         layout.rows + (layout.count - 1) * static_cast<size_t>(layout.stride);
}

bool isUnits(const LtOperation &op) { return op.compute == computeI32; }

/// Whether the library knows these types together.
bool areTypes(const LtOperation &op, const LtLayout &a, const LtLayout &b,
              const LtLayout &d) {
  if (a.type != b.type)
    return false;
  if (op.compute == computeF64)
    return a.type == realF64 && d.type == realF64 && op.scale == realF64;
  if (op.compute == computeI32)
    return a.type == realI8 && d.type == realI32 && op.scale == realI32;
  bool isNarrow = a.type == realF16 || a.type == realBF16;
  if (op.scale != realF32 || (isNarrow && op.compute != computeF32))
    return false;
  return isNarrow ? d.type == realF32 || d.type == a.type
                  : a.type == realF32 && d.type == realF32;
}

/// "Using IMMA kernels" in the documentation of cublasLtMatmul.
bool suitsBytes(const LtOperation &op, const LtLayout &a, const LtLayout &b,
                const LtLayout &d) {
  auto isMultiple = [](int64_t number) { return number % 4 == 0; };
  return op.transposeA == transposed && op.transposeB == asItIs &&
         isMultiple(a.pitch) && isMultiple(b.pitch) && isMultiple(d.pitch) &&
         isMultiple(static_cast<int64_t>(d.rows)) &&
         isMultiple(static_cast<int64_t>(a.rows));
}

bool isValid(const LtLayout &layout) {
  return layout.rows > 0 && layout.columns > 0 && layout.count > 0 &&
         layout.pitch >= static_cast<int64_t>(layout.rows);
}

Status checkProduct(const LtOperation &op, const LtLayout &a, const LtLayout &b,
                    const LtLayout &c, const LtLayout &d) {
  bool turnsA = op.transposeA == transposed;
  bool turnsB = op.transposeB == transposed;
  uint64_t rows = turnsA ? a.columns : a.rows;
  uint64_t terms = turnsA ? a.rows : a.columns;
  if (!isValid(a) || !isValid(b) || !isValid(c) || !isValid(d) ||
      rows != d.rows || terms != (turnsB ? b.columns : b.rows) ||
      (turnsB ? b.rows : b.columns) != d.columns || c.rows != d.rows ||
      c.columns != d.columns || a.count != d.count || b.count != d.count ||
      c.count != d.count)
    return invalidValue;
  if (!areTypes(op, a, b, d) || c.type != d.type)
    return notSupported;
  bool isPlain = op.epilogue == epilogueNone;
  if (isUnits(op) && (!suitsBytes(op, a, b, d) || !isPlain))
    return notSupported;
  return 0;
}

struct Job {
  const LtOperation &op;
  const LtLayout &a, &b, &c, &d;
  const char *left, *right, *addend;
  char *result;
  double alpha, beta;

  void run() const;
  double elementOf(const LtLayout &layout, const char *at, bool turns,
                   int32_t batch, uint64_t row, uint64_t column) const;
  double finish(double value, uint64_t row) const;
};

double Job::elementOf(const LtLayout &layout, const char *at, bool turns,
                      int32_t batch, uint64_t row, uint64_t column) const {
  if (turns)
    std::swap(row, column);
  double value = load(at + bytesOf(layout.type) * (batch * layout.stride +
                                                   column * layout.pitch + row),
                      layout.type);
  return op.compute == computeTF32 ? round10(value) : value;
}

double Job::finish(double value, uint64_t row) const {
  if (op.epilogue == epilogueNone)
    return value;
  if (op.epilogue & epilogueBias)
    value += load(static_cast<const char *>(op.bias) + row * bytesOf(d.type),
                  d.type);
  if (op.epilogue & epilogueReLU)
    value = value > 0 ? value : 0;
  if (op.epilogue & epilogueGELU)
    value *= 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) *
                                  (value + 0.044715 * value * value * value)));
  return value;
}

void Job::run() const {
  bool turnsA = op.transposeA == transposed;
  bool turnsB = op.transposeB == transposed;
  uint64_t terms = turnsA ? a.rows : a.columns;
  std::vector<double> lines(d.rows * terms), line(terms);
  for (int32_t batch = 0; batch < d.count; ++batch) {
    for (uint64_t row = 0; row < d.rows; ++row)
      for (uint64_t term = 0; term < terms; ++term)
        lines[row * terms + term] =
            elementOf(a, left, turnsA, batch, row, term);
    for (uint64_t column = 0; column < d.columns; ++column) {
      for (uint64_t term = 0; term < terms; ++term)
        line[term] = elementOf(b, right, turnsB, batch, term, column);
      for (uint64_t row = 0; row < d.rows; ++row) {
        double sum = 0;
        for (uint64_t term = 0; term < terms; ++term)
          sum += lines[row * terms + term] * line[term];
        sum *= alpha;
        size_t at = batch * d.stride + column * d.pitch + row;
        if (beta != 0)
          sum += beta *
                 load(addend + bytesOf(c.type) *
                                   (batch * c.stride + column * c.pitch + row),
                      c.type);
        store(finish(sum, row), result + at * bytesOf(d.type), d.type);
      }
    }
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// The library's functions
//===----------------------------------------------------------------------===//

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Status cublasLtCreate(Handle *handle) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver)
    return notInitialized;
  auto run = reinterpret_cast<StubRunFn>(dlsym(driver, stubRunName));
  auto has = reinterpret_cast<StubHasFn>(dlsym(driver, stubHasName));
  if (!run || !has)
    return notInitialized;
  *handle = new LtContext{run, has};
  return 0;
}

EXPORT Status cublasLtDestroy(Handle handle) {
  delete handle;
  return 0;
}

EXPORT const char *cublasLtGetStatusName(Status status) {
  return status == notInitialized    ? "CUBLAS_STATUS_NOT_INITIALIZED"
         : status == invalidValue    ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == executionFailed ? "CUBLAS_STATUS_EXECUTION_FAILED"
         : status == notSupported    ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                     : nullptr;
}

EXPORT Status cublasLtMatmulDescCreate(Operation *op, int compute, int scale) {
  *op = new LtOperation{compute, scale};
  return 0;
}

EXPORT Status cublasLtMatmulDescDestroy(Operation op) {
  delete op;
  return 0;
}

EXPORT Status cublasLtMatmulDescSetAttribute(Operation op, int attribute,
                                             const void *value, size_t bytes) {
  void *field = attribute == transposeA   ? static_cast<void *>(&op->transposeA)
                : attribute == transposeB ? &op->transposeB
                : attribute == epilogue   ? &op->epilogue
                : attribute == biasPointer ? static_cast<void *>(&op->bias)
                                           : nullptr;
  if (!field || bytes != (attribute == biasPointer ? 8u : 4u))
    return invalidValue;
  memcpy(field, value, bytes);
  return 0;
}

EXPORT Status cublasLtMatrixLayoutCreate(Layout *layout, int type,
                                         uint64_t rows, uint64_t columns,
                                         int64_t pitch) {
  *layout = new LtLayout{type, rows, columns, pitch};
  return 0;
}

EXPORT Status cublasLtMatrixLayoutDestroy(Layout layout) {
  delete layout;
  return 0;
}

EXPORT Status cublasLtMatrixLayoutSetAttribute(Layout layout, int attribute,
                                               const void *value,
                                               size_t bytes) {
  if (attribute == batchCount && bytes == sizeof(layout->count))
    memcpy(&layout->count, value, bytes);
  else if (attribute == batchStride && bytes == sizeof(layout->stride))
    memcpy(&layout->stride, value, bytes);
  else
    return invalidValue;
  return 0;
}

EXPORT Status cublasLtMatmulPreferenceCreate(Preference *preference) {
  *preference = new LtPreference;
  return 0;
}

EXPORT Status cublasLtMatmulPreferenceDestroy(Preference preference) {
  delete preference;
  return 0;
}

EXPORT Status cublasLtMatmulPreferenceSetAttribute(Preference preference,
                                                   int attribute,
                                                   const void *value,
                                                   size_t bytes) {
  bool isAlignment = attribute >= alignmentA && attribute <= alignmentD;
  if (attribute == mostWorkspace && bytes == sizeof(preference->workspace))
    memcpy(&preference->workspace, value, bytes);
  else if (attribute == schemes && bytes == sizeof(uint32_t))
    memcpy(&preference->schemes, value, bytes);
  else if (isAlignment && bytes == sizeof(uint32_t))
    memcpy(&preference->alignments[attribute - alignmentA], value, bytes);
  else
    return invalidValue;
  return 0;
}

/// The algorithm is the workspace and the alignments that it was chosen for.
EXPORT Status cublasLtMatmulAlgoGetHeuristic(Handle, Operation op, Layout a,
                                             Layout b, Layout c, Layout d,
                                             Preference preference, int wanted,
                                             Heuristic *results, int *count) {
  *count = 0;
  if (wanted < 1)
    return invalidValue;
  if (Status status = checkProduct(*op, *a, *b, *c, *d))
    return status;
  // TAPESTRY_STUB_NO_ALGORITHM: as where it has none.
  if (getenv("TAPESTRY_STUB_NO_ALGORITHM"))
    return notSupported;
  // Else partial sums may be as narrow as the result.
  if (preference->schemes != wideSums)
    return invalidValue;
  if (isUnits(*op))
    for (uint32_t alignment : preference->alignments)
      if (alignment % 4 != 0)
        return notSupported;
  results[0] = {};
  results[0].workspaceBytes = preference->workspace;
  results[0].algorithm.data[0] = preference->workspace;
  for (int at = 0; at < 4; ++at)
    results[0].algorithm.data[at + 1] = preference->alignments[at];
  *count = 1;
  if (getenv("TAPESTRY_STUB_SHOW"))
    fprintf(stderr, "cuBLASLt stub: %llu x %llu, %d of them, epilogue %u\n",
            static_cast<unsigned long long>(d->columns),
            static_cast<unsigned long long>(d->rows), d->count, op->epilogue);
  return 0;
}

EXPORT Status cublasLtMatmul(Handle handle, Operation op, const void *alpha,
                             const void *a, Layout layoutA, const void *b,
                             Layout layoutB, const void *beta, const void *c,
                             Layout layoutC, void *d, Layout layoutD,
                             const Algorithm *algorithm, void *workspace,
                             size_t workspaceBytes, Stream stream) {
  if (Status status = checkProduct(*op, *layoutA, *layoutB, *layoutC, *layoutD))
    return status;
  const void *places[] = {a, b, c, d};
  const LtLayout *layouts[] = {layoutA, layoutB, layoutC, layoutD};
  for (int at = 0; at < 4; ++at) {
    auto address = reinterpret_cast<uintptr_t>(places[at]);
    size_t bytes = span(*layouts[at]) * bytesOf(layouts[at]->type);
    if (address % algorithm->data[at + 1] != 0 ||
        !handle->has(places[at], bytes))
      return invalidValue;
  }
  if (workspaceBytes < algorithm->data[0] ||
      !handle->has(workspace, workspaceBytes))
    return invalidValue;
  bool wantsBias = op->epilogue != epilogueNone && op->epilogue & epilogueBias;
  if (wantsBias &&
      !handle->has(op->bias, layoutD->rows * bytesOf(layoutD->type)))
    return invalidValue;
  auto at = [](const void *place) { return static_cast<const char *>(place); };
  Job job = {*op,
             *layoutA,
             *layoutB,
             *layoutC,
             *layoutD,
             at(a),
             at(b),
             at(c),
             static_cast<char *>(d),
             load(at(alpha), op->scale),
             load(at(beta), op->scale)};
  Result result = handle->run(
      [](void *data) { static_cast<const Job *>(data)->run(); }, &job, stream);
  return result == 0 ? 0 : executionFailed;
}
