//===- RegionEvaluator.cpp - An op over its whole index space -------------===//
//
// A batch is a run of consecutive result elements. For each batch the reduced
// labels run in row-major order; since subscripts are affine before they are
// divided, one step moves all elements of a batch by the same distance in each
// operand.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Dialect/Index/Evaluate/RegionEvaluator.h"
#include "tapestry/Interfaces/ElementType.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <complex>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::reference;

namespace {
/// How an operand is read: where it lies and how labels move through it.
struct Reader {
  const HostTensor *tensor;
  Slot slot;
  /// (sum(perLabel[l] * l) + constant) floordiv d, folded: the offset or, where
  /// not all points lie in the tensor and are linear in the labels, the index
  /// of each dimension, piece by piece.
  struct Form {
    llvm::SmallVector<int64_t> perLabel;
    int64_t constant = 0;
    int64_t floordiv = 1, mod = 0;
    Fold fold = Fold::Wrap;
  };
  llvm::SmallVector<Form, 1> forms;
  bool isByIndex = false;
  double padReal = 0, padImaginary = 0;
  int64_t padInteger = 0;
  /// Whether a reduced label moves it.
  bool movesInReduction = false;
};

/// What is the same for all threads.
struct Job {
  const ScalarProgram *program;
  std::vector<Reader> readers;
  llvm::SmallVector<int64_t> extents;
  /// Labels of the result in the order of its dimensions; the reduced ones.
  llvm::SmallVector<unsigned> parallel, reduced;
  HostTensor *result;
  int64_t numElements = 0;
};

/// What one thread works with.
class Worker {
public:
  explicit Worker(const Job &job)
      : job(job), registers(job.program->makeRegisters()),
        labelValues(job.extents.size() * maxLanes) {
    for (const Reader &reader : job.readers)
      bases.emplace_back(reader.forms.size() * maxLanes);
  }
  /// Result elements first .. first + lanes.
  void runBatch(int64_t first, unsigned lanes);

private:
  void locate(int64_t first);
  void load(unsigned operand);
  template <typename T, typename Read>
  void loadAs(const Reader &reader, const int64_t *base, Read read);
  template <typename T>
  void loadComplex(const Reader &reader, const int64_t *base);
  template <typename Lane, typename T, typename Read>
  void gather(const Reader &reader, Lane *lanesOut, Lane pad,
              const int64_t *base, Read read);
  void moveBy(unsigned label, int64_t distance);
  bool advance();
  void store(int64_t first);

  const Job &job;
  Registers registers;
  unsigned lanes = 0;
  /// Per label, its value for each lane.
  std::vector<int64_t> labelValues;
  /// Per operand and form, its value for each lane where all reduced labels are
  /// 0, and what the current reduced labels add.
  std::vector<std::vector<int64_t>> bases;
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>> deltas;
  llvm::SmallVector<int64_t> reducedIndex;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

template <typename Lane, typename T, typename Read>
void Worker::gather(const Reader &reader, Lane *lanesOut, Lane pad,
                    const int64_t *base, Read read) {
  const T *data = reinterpret_cast<const T *>(reader.tensor->bytes.data());
  const auto &delta = deltas[&reader - job.readers.data()];
  if (!reader.isByIndex) {
    data += delta[0];
    for (unsigned lane = 0; lane < lanes; ++lane)
      lanesOut[lane] = static_cast<Lane>(read(data[base[lane]]));
    return;
  }
  size_t rank = reader.tensor->shape.size();
  for (unsigned lane = 0; lane < lanes; ++lane) {
    lanesOut[lane] = pad;
    bool inside = false;
    for (size_t piece = 0; !inside; piece += rank) {
      int64_t offset = 0;
      inside = true;
      for (auto [dim, extent] : llvm::enumerate(reader.tensor->shape)) {
        size_t number = piece + dim;
        const Reader::Form &form = reader.forms[number];
        int64_t index = base[number * maxLanes + lane] + delta[number];
        if (form.floordiv != 1 || form.mod != 0)
          index =
              wrapped({index, index + 1}, form.floordiv, form.mod, form.fold)
                  .lo;
        inside &= 0 <= index && index < extent;
        offset = offset * extent + index;
      }
      if (inside)
        lanesOut[lane] = static_cast<Lane>(read(data[offset]));
      else if (piece + rank >= reader.forms.size())
        break;
    }
  }
}

template <typename T, typename Read>
void Worker::loadAs(const Reader &reader, const int64_t *base, Read read) {
  if (reader.slot.isFloat)
    gather<double, T>(reader, registers.floatLanes(reader.slot.index),
                      reader.padReal, base, read);
  else
    gather<int64_t, T>(reader, registers.integerLanes(reader.slot.index),
                       reader.padInteger, base, read);
}

template <typename T>
void Worker::loadComplex(const Reader &reader, const int64_t *base) {
  using Number = std::complex<T>;
  gather<double, Number>(reader, registers.floatLanes(reader.slot.index),
                         reader.padReal, base,
                         [](Number number) { return number.real(); });
  gather<double, Number>(reader, registers.floatLanes(reader.slot.index + 1),
                         reader.padImaginary, base,
                         [](Number number) { return number.imag(); });
}

void Worker::load(unsigned operand) {
  const Reader &reader = job.readers[operand];
  const int64_t *base = bases[operand].data();
  auto same = [](auto value) { return value; };
  switch (reader.tensor->dtype) {
  case DType::F64:
    return loadAs<double>(reader, base, same);
  case DType::F32:
    return loadAs<float>(reader, base, same);
  case DType::F16:
    return loadAs<uint16_t>(reader, base, decodeF16);
  case DType::BF16:
    return loadAs<uint16_t>(reader, base, decodeBF16);
  case DType::I8:
    return loadAs<int8_t>(reader, base, same);
  case DType::I16:
    return loadAs<int16_t>(reader, base, same);
  case DType::I32:
    return loadAs<int32_t>(reader, base, same);
  case DType::I64:
    return loadAs<int64_t>(reader, base, same);
  case DType::Bool:
    // True is -1, the sign-extended i1.
    return loadAs<uint8_t>(reader, base,
                           [](uint8_t value) { return -int64_t(value != 0); });
  case DType::C64:
    return loadComplex<float>(reader, base);
  case DType::C128:
    return loadComplex<double>(reader, base);
  }
}

void Worker::store(int64_t first) {
  Slot slot = job.program->accumulator();
  const double *real =
      slot.isFloat ? registers.floatLanes(slot.index) : nullptr;
  const int64_t *integer =
      slot.isFloat ? nullptr : registers.integerLanes(slot.index);
  auto write = [&](auto zero, auto convert) {
    using T = decltype(zero);
    T *out = job.result->data<T>().data() + first;
    for (unsigned lane = 0; lane < lanes; ++lane)
      out[lane] = static_cast<T>(convert(lane));
  };
  auto complexAt = [&](unsigned lane) -> std::complex<double> {
    return {real[lane], real[maxLanes + lane]};
  };
  auto realAt = [&](unsigned lane) { return real[lane]; };
  auto integerAt = [&](unsigned lane) { return integer[lane]; };
  switch (job.result->dtype) {
  case DType::F64:
    return write(double(), realAt);
  case DType::F32:
    return write(float(), realAt);
  case DType::F16:
    return write(uint16_t(),
                 [&](unsigned lane) { return encodeF16(real[lane]); });
  case DType::BF16:
    return write(uint16_t(),
                 [&](unsigned lane) { return encodeBF16(real[lane]); });
  case DType::I8:
    return write(int8_t(), integerAt);
  case DType::I16:
    return write(int16_t(), integerAt);
  case DType::I32:
    return write(int32_t(), integerAt);
  case DType::I64:
    return write(int64_t(), integerAt);
  case DType::Bool:
    return write(uint8_t(), [&](unsigned lane) { return integer[lane] & 1; });
  case DType::C64:
    return write(std::complex<float>(), complexAt);
  case DType::C128:
    return write(std::complex<double>(), complexAt);
  }
}

//===----------------------------------------------------------------------===//
// Index space
//===----------------------------------------------------------------------===//

/// Finds the labels of each lane and where each operand begins.
void Worker::locate(int64_t first) {
  for (unsigned lane = 0; lane < lanes; ++lane) {
    int64_t rest = first + lane;
    for (unsigned label : llvm::reverse(job.parallel)) {
      labelValues[label * maxLanes + lane] = rest % job.extents[label];
      rest /= job.extents[label];
    }
  }
  for (auto [reader, base] : llvm::zip_equal(job.readers, bases)) {
    for (auto [number, form] : llvm::enumerate(reader.forms)) {
      int64_t *values = &base[number * maxLanes];
      std::fill_n(values, lanes, form.constant);
      for (unsigned label : job.parallel) {
        int64_t coefficient = form.perLabel[label];
        const int64_t *labelOf = &labelValues[label * maxLanes];
        for (unsigned lane = 0; coefficient && lane < lanes; ++lane)
          values[lane] += coefficient * labelOf[lane];
      }
    }
  }
}

void Worker::moveBy(unsigned label, int64_t distance) {
  for (auto [reader, delta] : llvm::zip_equal(job.readers, deltas))
    for (auto [form, value] : llvm::zip_equal(reader.forms, delta))
      value += form.perLabel[label] * distance;
}

/// The next point of the reduced labels; false after the last.
bool Worker::advance() {
  for (unsigned position = job.reduced.size(); position-- > 0;) {
    unsigned label = job.reduced[position];
    int64_t extent = job.extents[label];
    if (++reducedIndex[position] < extent) {
      moveBy(label, 1);
      return true;
    }
    reducedIndex[position] = 0;
    moveBy(label, 1 - extent);
  }
  return false;
}

void Worker::runBatch(int64_t first, unsigned count) {
  lanes = count;
  locate(first);
  deltas.clear();
  for (const Reader &reader : job.readers)
    deltas.emplace_back(reader.forms.size(), 0);
  reducedIndex.assign(job.reduced.size(), 0);
  job.program->reset(registers, lanes);
  bool isEmpty = llvm::any_of(
      job.reduced, [&](unsigned label) { return job.extents[label] == 0; });
  for (ScalarProgram::LabelSlot slot : job.program->labels())
    std::transform(&labelValues[slot.label * maxLanes],
                   &labelValues[slot.label * maxLanes] + lanes,
                   registers.integerLanes(slot.index),
                   [&](int64_t value) { return slot.start + value; });

  for (bool isFirst = true, more = !isEmpty; more; more = advance()) {
    for (auto [operand, reader] : llvm::enumerate(job.readers))
      if (isFirst || reader.movesInReduction)
        load(operand);
    for (ScalarProgram::LabelSlot slot : job.program->labels()) {
      const auto *position = llvm::find(job.reduced, slot.label);
      if (position != job.reduced.end())
        std::fill_n(registers.integerLanes(slot.index), lanes,
                    slot.start + reducedIndex[position - job.reduced.begin()]);
    }
    job.program->run(registers, lanes);
    isFirst = false;
  }
  job.program->finish(registers, lanes);
  store(first);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static Reader makeReader(BlockOpInterface op, unsigned operand,
                         llvm::ArrayRef<Access> accesses,
                         const HostTensor &tensor, Slot slot,
                         llvm::ArrayRef<bool> reduced) {
  Reader reader;
  reader.tensor = &tensor;
  reader.slot = slot;
  TypedAttr pad = op.getPad(operand);
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(pad)) {
    auto number = dense.getSplatValue<std::complex<APFloat>>();
    reader.padReal = number.real().convertToDouble();
    reader.padImaginary = number.imag().convertToDouble();
  } else if (auto real = dyn_cast_or_null<FloatAttr>(pad))
    reader.padReal = real.getValueAsDouble();
  else if (auto integer = dyn_cast_or_null<IntegerAttr>(pad))
    reader.padInteger = integer.getValue().getSExtValue();
  reader.isByIndex =
      pad || accesses.size() > 1 ||
      llvm::any_of(accesses.front().projection.dims,
                   [](const ProjectionDim &dim) { return !dim.isLinear(); });

  size_t rank = tensor.shape.size();
  Reader::Form empty;
  empty.perLabel.assign(reduced.size(), 0);
  reader.forms.assign(reader.isByIndex ? accesses.size() * rank : 1, empty);
  for (auto [number, access] : llvm::enumerate(accesses)) {
    int64_t stride = 1;
    for (unsigned dim = rank; dim-- > 0;) {
      const ProjectionDim &entry = access.projection.dims[dim];
      Reader::Form &form =
          reader.forms[reader.isByIndex ? number * rank + dim : 0];
      int64_t scale = reader.isByIndex ? 1 : stride;
      form.constant += scale * entry.constant;
      for (AffineTerm term : entry.terms) {
        form.perLabel[term.dim] += scale * term.coefficient;
        reader.movesInReduction |= reduced[term.dim];
      }
      form.floordiv = entry.floordiv;
      form.mod = entry.mod;
      form.fold = entry.fold;
      stride *= tensor.shape[dim];
    }
  }
  return reader;
}

/// Shares the batches out: each thread takes the next few.
static void runAll(const Job &job, int64_t work,
                   llvm::ThreadPoolInterface *pool) {
  int64_t numBatches = ceilDiv(job.numElements, maxLanes);
  auto runBatches = [&job](Worker &worker, int64_t begin, int64_t end) {
    for (int64_t batch = begin; batch < end; ++batch) {
      int64_t first = batch * maxLanes;
      int64_t lanes = std::min<int64_t>(maxLanes, job.numElements - first);
      worker.runBatch(first, static_cast<unsigned>(lanes));
    }
  };
  constexpr int64_t workWorthAThread = 100000;
  if (!pool || numBatches < 2 || work < workWorthAThread) {
    Worker worker(job);
    runBatches(worker, 0, numBatches);
    return;
  }
  int64_t threads = pool->getMaxConcurrency();
  int64_t share = std::max<int64_t>(1, numBatches / (threads * 8));
  std::atomic<int64_t> next{0};
  for (int64_t thread = 0; thread < threads; ++thread)
    pool->async([&] {
      Worker worker(job);
      for (;;) {
        int64_t begin = next.fetch_add(share);
        if (begin >= numBatches)
          return;
        runBatches(worker, begin, std::min(begin + share, numBatches));
      }
    });
  pool->wait();
}

llvm::Expected<HostTensor>
tapestry::reference::evaluateRegion(BlockOpInterface op,
                                    llvm::ArrayRef<const HostTensor *> inputs,
                                    llvm::ThreadPoolInterface *pool) {
  llvm::Expected<ScalarProgram> program = ScalarProgram::compile(op);
  if (!program)
    return program.takeError();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  llvm::Expected<HostTensor> result =
      HostTensor::create(*dtypeOf(type.getElementType()), type.getShape());
  if (!result)
    return result.takeError();

  Job job;
  job.program = &*program;
  job.extents = op.getLabelExtents();
  job.result = &*result;
  job.numElements = result->numElements();
  llvm::SmallVector<bool> reduced =
      llvm::map_to_vector(op.getLabelKinds(), [](LabelKind kind) {
        return kind != LabelKind::Parallel;
      });
  std::vector<Projection> results = op.getResultProjections();
  for (const ProjectionDim &dim : results.front().dims)
    job.parallel.push_back(dim.terms[0].dim);
  int64_t work = job.numElements;
  for (auto [label, isReduced] : llvm::enumerate(reduced)) {
    if (!isReduced)
      continue;
    job.reduced.push_back(label);
    work *= job.extents[label];
  }
  for (unsigned operand = 0; operand < inputs.size(); ++operand) {
    std::vector<Access> accesses = op.getAccesses(operand);
    // What the region does not choose it may read all the same.
    if (llvm::any_of(accesses, [&](const Access &access) {
          return (!access.guard.empty() && accesses.size() > 1) ||
                 access.kind != AccessKind::Affine;
        }))
      return llvm::createStringError("'" + op.getVertexName() +
                                     "' reads operand " + llvm::Twine(operand) +
                                     " at some points only, a scalar region "
                                     "reads it at every point");
    job.readers.push_back(makeReader(op, operand, accesses, *inputs[operand],
                                     program->operands()[operand], reduced));
  }
  runAll(job, work, pool);
  return result;
}
