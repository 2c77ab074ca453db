//===- EmitProgramDescription.cpp - Constants that the runtime reads ------===//
//
// Emits the structures of the runtime's ABI.h as LLVM globals. The order and
// the types of the fields below follow that header; its static_asserts hold the
// sizes.
//
//===----------------------------------------------------------------------===//

#include "ProgramAttributes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tapestry-rt/Signs.h"
#include "tapestry/Codegen/Target.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/Monoid.h"
#include "tapestry/Support/Resharding.h"
#include <map>

namespace tapestry {
#define GEN_PASS_DEF_EMITPROGRAMDESCRIPTION
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

static_assert(smallAllReduceBytes == TAPESTRY_SMALL_ALL_REDUCE_BYTES,
              "the planner prices what the runtime does");

static_assert(static_cast<int>(Monoid::None) == TAPESTRY_MONOID_NONE &&
                  static_cast<int>(Monoid::Add) == TAPESTRY_MONOID_ADD &&
                  static_cast<int>(Monoid::Mul) == TAPESTRY_MONOID_MUL &&
                  static_cast<int>(Monoid::Max) == TAPESTRY_MONOID_MAX &&
                  static_cast<int>(Monoid::Min) == TAPESTRY_MONOID_MIN &&
                  static_cast<int>(Monoid::And) == TAPESTRY_MONOID_AND &&
                  static_cast<int>(Monoid::Or) == TAPESTRY_MONOID_OR &&
                  static_cast<int>(Monoid::Xor) == TAPESTRY_MONOID_XOR &&
                  static_cast<int>(Monoid::Custom) == TAPESTRY_MONOID_CUSTOM,
              "the compiler writes its own numbers of monoids");

static_assert(static_cast<int>(DType::F64) == TAPESTRY_F64 &&
                  static_cast<int>(DType::F32) == TAPESTRY_F32 &&
                  static_cast<int>(DType::F16) == TAPESTRY_F16 &&
                  static_cast<int>(DType::BF16) == TAPESTRY_BF16 &&
                  static_cast<int>(DType::I8) == TAPESTRY_I8 &&
                  static_cast<int>(DType::I16) == TAPESTRY_I16 &&
                  static_cast<int>(DType::I32) == TAPESTRY_I32 &&
                  static_cast<int>(DType::I64) == TAPESTRY_I64 &&
                  static_cast<int>(DType::Bool) == TAPESTRY_BOOL &&
                  static_cast<int>(DType::C64) == TAPESTRY_C64 &&
                  static_cast<int>(DType::C128) == TAPESTRY_C128,
              "the compiler writes its own numbers of element types");

/// The runtime's type of a tensor's elements in files.
static FailureOr<int32_t> fileTypeOf(ModuleOp module, Type type) {
  bool isUnsigned = type.isUnsignedInteger();
  std::optional<DType> dtype =
      dtypeOf(isUnsigned ? IntegerType::get(type.getContext(),
                                            type.getIntOrFloatBitWidth())
                         : type);
  if (!dtype || (isUnsigned && *dtype == DType::Bool))
    return module.emitError("the runtime has no element type ") << type;
  return rt::typeInFile(static_cast<int32_t>(*dtype), isUnsigned);
}

namespace {

/// Builds one program's globals, whose names hold the graph's. A table is a
/// global of array-of-struct type whose initialiser inserts the fields one by
/// one.
class DescriptionEmitter {
public:
  DescriptionEmitter(ModuleOp module, DictionaryAttr program,
                     const Target &target, int64_t threads)
      : module(module), program(program),
        name(program.getAs<StringAttr>(program::name).getValue()),
        target(target), threads(threads), builder(module.getBodyRegion()),
        loc(module.getLoc()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {
    builder.setInsertionPointToEnd(module.getBody());
  }

  LogicalResult emit();
  /// A second name of the description: of the only program of a module, for a
  /// main that knows no graph. Weak, so that objects can be linked together.
  void emitAlias(StringRef alias);

private:
  std::string descriptionName() { return ("tapestry_program_" + name).str(); }

  /// A field of a table: an integer, or the address of the byte of that number
  /// behind a symbol (null if empty).
  struct Field {
    Type type;
    int64_t number = 0;
    StringRef symbol;
  };
  using Row = std::vector<Field>;

  Field i32(int64_t value) { return {builder.getI32Type(), value, {}}; }
  Field i64(int64_t value) { return {builder.getI64Type(), value, {}}; }
  Field address(StringRef symbol) { return {pointer, 0, symbol}; }

  Field text(StringRef text);

  StringRef newName(StringRef kind);
  void emitTexts();
  StringRef emitNumbers(ArrayRef<int64_t> numbers, unsigned bits);
  StringRef emitTable(StringRef name, ArrayRef<Row> rows, bool single = false);
  Value emitField(const Field &field);
  Value emitAggregate(Type type, ArrayRef<Value> values);
  StringRef emitBoxes(ArrayRef<Layout> layouts, const DeviceGrid &grid);
  /// How many boxes are read of each device's part of a cross, and these; of
  /// another layout none.
  std::pair<int32_t, StringRef> emitFragments(const Layout &layout,
                                              const DeviceGrid &grid);
  FailureOr<LLVM::LLVMFuncOp> functionNamed(FlatSymbolRefAttr symbol);
  FailureOr<StringRef> emitCombineThunk(FlatSymbolRefAttr combine);
  FailureOr<StringRef> emitTensors(StringRef key);
  FailureOr<StringRef> emitCollectives();
  StringRef emitVertices();
  StringRef emitCopies();
  StringRef emitRequirements(ArrayAttr requirements);
  StringRef emitNames(StringRef table, ArrayRef<std::string> names);
  StringRef emitFiles(StringRef key);
  StringRef emitTakenIn();
  ArrayAttr list(StringRef key) { return program.getAs<ArrayAttr>(key); }

  ModuleOp module;
  DictionaryAttr program;
  StringRef name;
  const Target &target;
  const int64_t threads;
  OpBuilder builder;
  Location loc;
  Type pointer;
  /// All strings one after another, and where each is: a symbol for each takes
  /// LLVM and the linker longer than the rest of a description.
  std::string texts;
  StringRef textsName;
  llvm::StringMap<int64_t> textOffsets;
  /// Lists of numbers, by what they hold and its bits.
  std::map<std::pair<std::vector<int64_t>, unsigned>, StringRef> lists;
  llvm::StringMap<std::string> thunks;
  /// The values in the table that is being emitted; rows have many in common.
  std::map<std::tuple<const void *, int64_t, StringRef>, Value> fields;
  unsigned counter = 0;
};

} // namespace

StringRef DescriptionEmitter::newName(StringRef kind) {
  return builder
      .getStringAttr("tapestry." + kind + "." + name + "." + Twine(counter++))
      .getValue();
}

DescriptionEmitter::Field DescriptionEmitter::text(StringRef text) {
  auto [known, isNew] = textOffsets.try_emplace(text, texts.size());
  if (isNew) {
    texts += text;
    texts.push_back('\0');
  }
  return {pointer, known->second, textsName};
}

/// What text() handed out the addresses of.
void DescriptionEmitter::emitTexts() {
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), texts.size());
  LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                         LLVM::Linkage::Internal, textsName,
                         builder.getStringAttr(texts));
}

StringRef DescriptionEmitter::emitNumbers(ArrayRef<int64_t> numbers,
                                          unsigned bits) {
  if (numbers.empty())
    return {};
  StringRef &known = lists[{numbers.vec(), bits}];
  if (!known.empty())
    return known;
  Type element = builder.getIntegerType(bits);
  SmallVector<APInt> values;
  for (int64_t number : numbers)
    values.emplace_back(bits, number, /*isSigned=*/true);
  auto shaped = RankedTensorType::get({int64_t(numbers.size())}, element);
  StringRef name = newName("numbers");
  LLVM::GlobalOp::create(builder, loc,
                         LLVM::LLVMArrayType::get(element, numbers.size()),
                         /*isConstant=*/true, LLVM::Linkage::Internal, name,
                         DenseElementsAttr::get(shaped, values));
  return known = name;
}

Value DescriptionEmitter::emitField(const Field &field) {
  Value &known =
      fields[{field.type.getAsOpaquePointer(), field.number, field.symbol}];
  if (known)
    return known;
  if (field.number != 0 && !field.symbol.empty())
    return known = LLVM::GEPOp::create(
               builder, loc, pointer, builder.getI8Type(),
               emitField(address(field.symbol)),
               LLVM::GEPArg(static_cast<int32_t>(field.number)));
  if (!field.symbol.empty())
    return known =
               LLVM::AddressOfOp::create(builder, loc, pointer, field.symbol);
  if (field.type == pointer)
    return known = LLVM::ZeroOp::create(builder, loc, pointer);
  return known = LLVM::ConstantOp::create(
             builder, loc, field.type,
             builder.getIntegerAttr(field.type, field.number));
}

Value DescriptionEmitter::emitAggregate(Type type, ArrayRef<Value> values) {
  Value result = LLVM::UndefOp::create(builder, loc, type);
  for (auto [number, value] : llvm::enumerate(values))
    result = LLVM::InsertValueOp::create(builder, loc, result, value,
                                         static_cast<int64_t>(number));
  return result;
}

/// A long table is an array of arrays, which lies in memory as one array does:
/// LLVM copies an aggregate to insert into it. Nobody looks at what the last
/// one has too many.
StringRef DescriptionEmitter::emitTable(StringRef name, ArrayRef<Row> rows,
                                        bool single) {
  if (rows.empty())
    return {};
  constexpr size_t most = 32;
  SmallVector<Type> fieldTypes;
  for (const Field &field : rows.front())
    fieldTypes.push_back(field.type);
  Type rowType =
      LLVM::LLVMStructType::getLiteral(module.getContext(), fieldTypes);
  Type partType =
      LLVM::LLVMArrayType::get(rowType, std::min(rows.size(), most));
  size_t parts = llvm::divideCeil(rows.size(), most);
  Type type = single      ? rowType
              : parts > 1 ? LLVM::LLVMArrayType::get(partType, parts)
                          : partType;
  auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                       single ? LLVM::Linkage::External
                                              : LLVM::Linkage::Internal,
                                       name, Attribute());

  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&global.getInitializerRegion());
  fields.clear();
  SmallVector<Value> rowValues, partValues;
  for (const Row &row : rows) {
    SmallVector<Value> values;
    for (const Field &field : row)
      values.push_back(emitField(field));
    rowValues.push_back(emitAggregate(rowType, values));
  }
  for (size_t first = 0; !single && first < rows.size(); first += most)
    partValues.push_back(emitAggregate(
        partType,
        ArrayRef(rowValues).slice(first, std::min(most, rows.size() - first))));
  Value table = single      ? rowValues.front()
                : parts > 1 ? emitAggregate(type, partValues)
                            : partValues.front();
  LLVM::ReturnOp::create(builder, loc, table);
  return name;
}

StringRef DescriptionEmitter::emitBoxes(ArrayRef<Layout> layouts,
                                        const DeviceGrid &grid) {
  SmallVector<int64_t> bounds;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device)
    for (const Layout &layout : layouts)
      for (const ZRange &range : layout.box(grid, device))
        bounds.append({range.lo, range.hi});
  return emitNumbers(bounds, 64);
}

std::pair<int32_t, StringRef>
DescriptionEmitter::emitFragments(const Layout &layout,
                                  const DeviceGrid &grid) {
  if (!layout.isCross())
    return {0, StringRef()};
  SmallVector<int64_t> bounds;
  int32_t fragments = 0;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    std::vector<ZBox> boxes = layout.fragments(grid, device);
    fragments = boxes.size();
    for (const ZBox &box : boxes)
      for (const ZRange &range : box)
        bounds.append({range.lo, range.hi});
  }
  return {fragments, emitNumbers(bounds, 64)};
}

/// What the runtime is given the address of.
FailureOr<LLVM::LLVMFuncOp>
DescriptionEmitter::functionNamed(FlatSymbolRefAttr symbol) {
  Operation *found = module.lookupSymbol(symbol);
  if (auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(found))
    return function;
  InFlightDiagnostic error = module.emitError("the program \"")
                             << name << "\" calls " << symbol;
  if (found)
    error << ", which is not in the LLVM dialect yet, but a '"
          << found->getName() << "'";
  else
    error << ", which the module lacks";
  return failure();
}

/// The ABI hands a combine function plain pointers and a count; the compiled
/// one is launched as the target says.
FailureOr<StringRef>
DescriptionEmitter::emitCombineThunk(FlatSymbolRefAttr combine) {
  std::string &name = thunks[combine.getValue()];
  if (!name.empty())
    return StringRef(name);
  FailureOr<LLVM::LLVMFuncOp> callee = functionNamed(combine);
  if (failed(callee))
    return failure();
  name = (combine.getValue() + ".thunk").str();
  Type i64Type = builder.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()),
                                  {pointer, pointer, i64Type});
  auto thunk = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = thunk.addEntryBlock(builder);
  builder.setInsertionPointToStart(body);
  Value count = body->getArgument(2);
  target.emitLaunch(
      builder, loc, *callee,
      {{body->getArgument(0), count}, {body->getArgument(1), count}});
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return StringRef(name);
}

FailureOr<StringRef> DescriptionEmitter::emitTensors(StringRef key) {
  SmallVector<Row> rows;
  for (auto entry : list(key).getAsRange<DictionaryAttr>()) {
    auto layoutAttr = entry.getAs<index::LayoutAttr>(program::layout);
    Type type = entry.getAs<TypeAttr>(program::type).getValue();
    FailureOr<int32_t> dtype = fileTypeOf(module, type);
    if (failed(dtype))
      return failure();
    const Layout &layout = layoutAttr.getLayout();
    const DeviceGrid &grid = layoutAttr.getDeviceGrid();
    SmallVector<int64_t> owners;
    if (key == program::outputs)
      for (int64_t device = 0, e = grid.numDevices(); device < e; ++device)
        owners.push_back(layout.isOwner(grid, device));
    rows.push_back(
        {text(entry.getAs<StringAttr>(program::name)), i32(*dtype),
         i32(layout.rank()), address(emitNumbers(layout.shape(), 64)),
         address(emitBoxes(layout, grid)), address(emitNumbers(owners, 8))});
  }
  return emitTable(newName(key), rows);
}

/// What all devices copy from their own part to their own result: of an
/// exchange what they have of their targets, and what a reduction in a tree
/// begins with. Rings combine where they put the result.
static int64_t keptBytes(DictionaryAttr collective, ArrayRef<Layout> targets) {
  const Layout &to =
      collective.getAs<index::LayoutAttr>(program::to).getLayout();
  auto fromAttr = collective.getAs<index::LayoutAttr>(program::from);
  const Layout &from = fromAttr.getLayout();
  const DeviceGrid &grid = fromAttr.getDeviceGrid();
  int64_t element =
      storedSize(collective.getAs<TypeAttr>(program::type).getValue());
  bool combines = collective.contains(program::combine);
  bool scatters = collective.getAs<StringAttr>(program::kind) ==
                  stringifyCollective(CollectiveKind::ReduceScatter);
  int64_t bytes = 0;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZBox own = from.box(grid, device);
    int64_t all = volume(own) * element;
    if (combines)
      bytes += !scatters && all <= smallAllReduceBytes ? all : 0;
    else
      for (const Layout &target : targets)
        for (const ZBox &fragment : to.fragments(grid, device))
          bytes += element *
                   volume(intersect(fragment,
                                    intersect(own, target.box(grid, device))));
  }
  return bytes;
}

FailureOr<StringRef> DescriptionEmitter::emitCollectives() {
  SmallVector<Row> rows;
  for (auto entry : list(program::collectives).getAsRange<DictionaryAttr>()) {
    auto fromAttr = entry.getAs<index::LayoutAttr>(program::from);
    auto toAttr = entry.getAs<index::LayoutAttr>(program::to);
    Type type = entry.getAs<TypeAttr>(program::type).getValue();
    std::optional<DType> dtype = dtypeOf(type);
    if (!dtype)
      return module.emitError("the runtime has no element type ") << type;
    const Layout &from = fromAttr.getLayout();
    const DeviceGrid &grid = fromAttr.getDeviceGrid();
    Collective moved = planResharding(grid, from, toAttr.getLayout());
    auto combine = entry.getAs<FlatSymbolRefAttr>(program::combine);
    auto monoid = entry.getAs<index::MonoidAttr>(program::monoid);
    FailureOr<StringRef> thunk =
        combine ? emitCombineThunk(combine) : StringRef();
    if (failed(thunk))
      return failure();

    SmallVector<Layout, 1> targets;
    if (auto rims = entry.getAs<ArrayAttr>(program::rims))
      for (auto rim : rims.getAsRange<index::LayoutAttr>())
        targets.push_back(rim.getLayout());
    else
      targets.push_back(toAttr.getLayout());
    SmallVector<int64_t> groups, replicas;
    llvm::DenseMap<int64_t, int64_t> numberOfGroup;
    Cut replicaAxes = combine ? Cut() : from.replicatedAxes(grid);
    for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
      int64_t first = firstOfGroup(grid, moved.axes, device);
      groups.push_back(
          numberOfGroup.try_emplace(first, numberOfGroup.size()).first->second);
      replicas.push_back(partIndex(grid, replicaAxes, device));
    }
    auto [fragments, fragmentBoxes] = emitFragments(toAttr.getLayout(), grid);
    rows.push_back(
        {text(entry.getAs<StringAttr>(program::vertex)),
         i32(*runtimeKind(entry.getAs<StringAttr>(program::kind))),
         i32(static_cast<int32_t>(*dtype)), i32(from.rank()),
         i32(moved.groupSize),
         i32(static_cast<int32_t>(monoid ? monoid.getValue() : Monoid::None)),
         i32(target.getMemorySpaces().front().number), i32(targets.size()),
         i32(fragments), address(emitNumbers(groups, 32)),
         address(combine ? StringRef() : emitNumbers(replicas, 32)),
         address(emitBoxes(from, grid)), address(emitBoxes(targets, grid)),
         address(fragmentBoxes), address(*thunk),
         i64(entry.getAs<IntegerAttr>(program::bytes).getInt()),
         i64(keptBytes(entry, targets))});
  }
  return emitTable(newName("collectives"), rows);
}

StringRef DescriptionEmitter::emitVertices() {
  SmallVector<Row> rows;
  for (auto entry : list(program::vertices).getAsRange<DictionaryAttr>())
    rows.push_back({text(entry.getAs<StringAttr>(program::name)),
                    i64(entry.getAs<IntegerAttr>(program::flops).getInt())});
  return emitTable(newName("vertices"), rows);
}

StringRef DescriptionEmitter::emitCopies() {
  SmallVector<Row> rows;
  if (program.contains(program::copies))
    for (auto entry : list(program::copies).getAsRange<DictionaryAttr>()) {
      auto bytes = entry.getAs<IntegerAttr>(program::bytes);
      rows.push_back({text(entry.getAs<StringAttr>(program::vertex)),
                      i64(bytes ? bytes.getInt() : -1)});
    }
  return emitTable(newName(program::copies), rows);
}

StringRef DescriptionEmitter::emitRequirements(ArrayAttr requirements) {
  SmallVector<Row> rows;
  for (auto entry : requirements.getAsRange<DictionaryAttr>()) {
    auto said = [&](StringRef key) {
      return text(entry.getAs<StringAttr>(key));
    };
    ArrayRef<int64_t> shape =
        entry.getAs<DenseI64ArrayAttr>(program::shape).asArrayRef();
    rows.push_back({said(program::place), said(program::index),
                    said(program::bound), i64(shape.size()),
                    address(emitNumbers(shape, 64)),
                    i64(entry.contains(program::unsignedValue))});
  }
  return emitTable(newName(program::requirements), rows);
}

/// A table of pointers to the names.
StringRef DescriptionEmitter::emitNames(StringRef table,
                                        ArrayRef<std::string> names) {
  SmallVector<Row> rows;
  for (const std::string &name : names)
    rows.push_back({text(name)});
  return emitTable(newName(table), rows);
}

/// A table of paths, null where a tensor has no file; none where none has.
StringRef DescriptionEmitter::emitFiles(StringRef key) {
  SmallVector<Row> rows;
  bool hasFile = false;
  for (auto entry : list(key).getAsRange<DictionaryAttr>()) {
    auto file = entry.getAs<StringAttr>(program::file);
    hasFile |= file != nullptr;
    rows.push_back({file ? text(file) : address({})});
  }
  return hasFile ? emitTable(newName((key + "_files").str()), rows)
                 : StringRef();
}

/// Per input whether the program takes it in; none where it takes none in.
StringRef DescriptionEmitter::emitTakenIn() {
  SmallVector<int64_t> taken;
  for (auto entry : list(program::inputs).getAsRange<DictionaryAttr>())
    taken.push_back(entry.contains(program::takenIn));
  return llvm::is_contained(taken, 1) ? emitNumbers(taken, 8) : StringRef();
}

LogicalResult DescriptionEmitter::emit() {
  auto entry = program.getAs<FlatSymbolRefAttr>(program::entry);
  if (failed(functionNamed(entry)))
    return failure();
  if (module.lookupSymbol(descriptionName()))
    return module.emitError("holds a symbol '")
           << descriptionName() << "' before the program \"" << name
           << "\" is described";
  textsName = newName("texts");
  FailureOr<StringRef> inputs = emitTensors(program::inputs);
  FailureOr<StringRef> outputs = emitTensors(program::outputs);
  FailureOr<StringRef> collectives = emitCollectives();
  if (failed(inputs) || failed(outputs) || failed(collectives))
    return failure();
  auto peaks = program.getAs<DenseI64ArrayAttr>(program::peakBytes);
  std::vector<std::string> unread, features = target.getFeatures();
  if (auto names = program.getAs<ArrayAttr>(program::unreadInputs))
    for (auto name : names.getAsRange<StringAttr>())
      unread.push_back(name.str());
  auto requirements = program.getAs<ArrayAttr>(program::requirements);
  if (!requirements)
    requirements = builder.getArrayAttr({});
  Row row = {
      i32(TAPESTRY_ABI_VERSION),
      i32(sizeof(TapestryProgram)),
      text(name),
      i64(program.getAs<IntegerAttr>(program::devices).getInt()),
      i32(list(program::inputs).size()),
      i32(list(program::outputs).size()),
      i32(list(program::collectives).size()),
      i32(list(program::vertices).size()),
      address(*inputs),
      address(*outputs),
      address(*collectives),
      address(emitVertices()),
      address(entry.getValue()),
      address(peaks ? emitNumbers(peaks.asArrayRef(), 64) : StringRef()),
      i64(unread.size()),
      address(emitNames(program::unreadInputs, unread)),
      i64(features.size()),
      address(emitNames("features", features)),
      i64(requirements.size()),
      address(emitRequirements(requirements)),
      i64(program.contains(program::copies) ? list(program::copies).size() : 0),
      address(emitCopies()),
      address(emitFiles(program::inputs)),
      address(emitFiles(program::outputs)),
      address(emitTakenIn()),
      i64(threads),
      i64(target.getMemorySpaces().front().number)};
  emitTable(descriptionName(), {row}, /*single=*/true);
  emitTexts();
  return success();
}

void DescriptionEmitter::emitAlias(StringRef alias) {
  auto described = module.lookupSymbol<LLVM::GlobalOp>(descriptionName());
  auto op = LLVM::AliasOp::create(builder, loc, described.getGlobalType(),
                                  LLVM::Linkage::Weak, alias);
  builder.createBlock(&op.getInitializerRegion());
  LLVM::ReturnOp::create(
      builder, loc,
      LLVM::AddressOfOp::create(builder, loc, pointer, described.getSymName())
          .getResult());
}

namespace {
struct EmitProgramDescription
    : tapestry::impl::EmitProgramDescriptionBase<EmitProgramDescription> {
  using EmitProgramDescriptionBase::EmitProgramDescriptionBase;

  void runOnOperation() override {
    FailureOr<SmallVector<DictionaryAttr>> programs = program::readAll(
        getOperation(),
        {program::name, program::devices, program::entry, program::inputs,
         program::outputs, program::collectives, program::vertices});
    if (failed(programs))
      return signalPassFailure();
    if (programs->empty())
      return;
    llvm::Expected<std::unique_ptr<Target>> made = createTarget({target, cpu});
    if (!made) {
      getOperation().emitError(llvm::toString(made.takeError()));
      return signalPassFailure();
    }
    for (DictionaryAttr program : *programs) {
      DescriptionEmitter emitter(getOperation(), program, **made, threads);
      if (failed(emitter.emit()))
        return signalPassFailure();
      if (programs->size() == 1)
        emitter.emitAlias("tapestry_program");
    }
    getOperation()->removeAttr(program::attribute);
  }
};
} // namespace
