//===- BlockBytecode.cpp - Properties of tapestry.block in bytecode -------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// Calls `fn` with the names and places of what earlier versions did not know.
template <typename Properties, typename Fn>
static void forNamed(Properties &properties, Fn fn) {
  fn("costs", properties.costs);
  fn("idempotent", properties.idempotent);
  fn("identities", properties.identities);
  fn("pads", properties.pads);
}

LogicalResult BlockOp::readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(p.extents)) ||
      failed(reader.readOptionalAttribute(p.home_routes)) ||
      failed(reader.readOptionalAttribute(p.homes)) ||
      failed(reader.readAttribute(p.kernel)) ||
      failed(reader.readAttribute(p.name)) ||
      failed(reader.readOptionalAttribute(p.operand_routes)) ||
      failed(reader.readAttribute(p.params)) ||
      failed(reader.readOptionalAttribute(p.partition)))
    return failure();
  if (!index::BytecodeVersion::isRead(reader,
                                      TapestryDialect::getDialectNamespace(),
                                      index::BytecodeVersion::firstNamed))
    return success();
  DictionaryAttr named;
  if (failed(reader.readAttribute(named)))
    return failure();
  size_t known = 0;
  LogicalResult result = success();
  forNamed(p, [&](StringRef name, auto &place) {
    Attribute value = named.get(name);
    known += static_cast<bool>(value);
    place = dyn_cast_or_null<std::decay_t<decltype(place)>>(value);
    if (value && !place)
      result = reader.emitError()
               << "a block has " << value << " as its '" << name << "'";
  });
  if (succeeded(result) && known != named.size())
    return reader.emitError()
           << "a block has properties that are not known: " << named;
  return result;
}

void BlockOp::writeProperties(DialectBytecodeWriter &writer) {
  auto &p = getProperties();
  writer.writeAttribute(p.extents);
  writer.writeOptionalAttribute(p.home_routes);
  writer.writeOptionalAttribute(p.homes);
  writer.writeAttribute(p.kernel);
  writer.writeAttribute(p.name);
  writer.writeOptionalAttribute(p.operand_routes);
  writer.writeAttribute(p.params);
  writer.writeOptionalAttribute(p.partition);
  if (!index::BytecodeVersion::isWritten(writer,
                                         TapestryDialect::getDialectNamespace(),
                                         index::BytecodeVersion::firstNamed))
    return;
  NamedAttrList named;
  forNamed(p, [&](StringRef name, auto value) {
    if (value)
      named.set(name, value);
  });
  writer.writeAttribute(named.getDictionary(getContext()));
}
