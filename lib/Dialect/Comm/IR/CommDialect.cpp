//===- CommDialect.cpp - The comm dialect's attributes and types ----------===//

#include "LayoutFacts.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tapestry/Dialect/Comm/IR/CommLoop.h"
#include "tapestry/Dialect/Comm/IR/CommPoint.h"
#include "tapestry/Dialect/Comm/IR/CommRim.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "tapestry/Dialect/Index/IR/OwnAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::comm;

#include "tapestry/Dialect/Comm/IR/CommDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tapestry/Dialect/Comm/IR/CommTypes.cpp.inc"

void CommDialect::initialize() {
  facts = std::make_shared<detail::LayoutFacts>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tapestry/Dialect/Comm/IR/CommTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tapestry/Dialect/Comm/IR/CommOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tapestry/Dialect/Comm/IR/CommLoop.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tapestry/Dialect/Comm/IR/CommPoint.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tapestry/Dialect/Comm/IR/CommRim.cpp.inc"
      >();
  addInterfaces<index::BytecodeVersion>();
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

static bool isGridOfFunction(Operation *op, Attribute value) {
  return isa<FunctionOpInterface>(op) && isa<index::GridAttr>(value);
}

static bool areVertices(Operation *op, Attribute value) {
  if (!isa<FunctionOpInterface>(op) || !index::isListOf<DictionaryAttr>(value))
    return false;
  auto list = cast<ArrayAttr>(value).getAsRange<DictionaryAttr>();
  return llvm::all_of(list, [](DictionaryAttr vertex) {
    auto flops = vertex.getAs<IntegerAttr>("flops");
    return vertex.getAs<StringAttr>("name") && flops &&
           flops.getType().isSignlessInteger(64) && flops.getInt() >= 0;
  });
}

static bool areNamesOnFunction(Operation *op, Attribute value) {
  return isa<FunctionOpInterface>(op) && index::isListOf<StringAttr>(value);
}

static bool isListOnModule(Operation *op, Attribute value) {
  return isa<ModuleOp>(op) && isa<ArrayAttr>(value);
}

template <typename AttrT> static bool holds(Operation *, Attribute value) {
  return isa<AttrT>(value);
}

// comm_c1
static constexpr index::OwnAttribute ownAttributes[] = {
    {"comm.grid", "is the grid of a function", isGridOfFunction},
    {"comm.vertices", "lists dictionaries of 'name' and 'flops' on a function",
     areVertices},
    {"comm.unread_inputs", "lists names of inputs on a function",
     areNamesOnFunction},
    {"comm.programs", "lists the programs of a module", isListOnModule}};

// comm_c2
static constexpr index::OwnAttribute signatureAttributes[] = {
    {"comm.name", "is a string", holds<StringAttr>},
    {"comm.file", "is a string", holds<StringAttr>},
    {"comm.type", "is a type", holds<TypeAttr>},
    {"comm.layout", "is a layout", holds<index::LayoutAttr>}};

LogicalResult CommDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  return index::verifyOwnAttribute(op, attribute, ownAttributes);
}

LogicalResult CommDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned,
                                                    NamedAttribute attribute) {
  return index::verifyOwnAttribute(op, attribute, signatureAttributes);
}

LogicalResult
CommDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                         NamedAttribute attribute) {
  return index::verifyOwnAttribute(op, attribute, signatureAttributes);
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

RankedTensorType comm::partType(index::LayoutAttr layout, Type elementType) {
  return RankedTensorType::get(
      detail::LayoutFacts::of(layout).partShape(layout), elementType);
}
