//===- KernelAttr.cpp - Text and rules of #tapestry.kernel ----------------===//
//
//   <"smooth" [b, x] (X : f32[b, 2 * x : 3 step 2], W : f32[*] params scale :
//   f32)
//    -> (Y : f32[b, x], E : f64[b] add) cost {b.flops = 3, point.ram = 8}>
//
// The checks carry the labels of the constraints in the attribute's
// description.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static bool isIdentifier(StringRef name) {
  return !name.empty() && (llvm::isAlpha(name[0]) || name[0] == '_') &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

namespace {
class KernelRules {
public:
  KernelRules(function_ref<InFlightDiagnostic()> emitError,
              const Kernel &kernel)
      : emitError(emitError), kernel(kernel) {}

  LogicalResult verify();

private:
  LogicalResult verifyNames();
  LogicalResult verifyElements();
  LogicalResult verifySubscripts();
  LogicalResult verifyOutput(const KernelTensor &output);
  LogicalResult verifyMonoid(const KernelTensor &output);
  LogicalResult verifyCosts();
  std::string text(const ProjectionDim &dim);

  function_ref<InFlightDiagnostic()> emitError;
  const Kernel &kernel;
  llvm::SmallVector<LabelUse> uses;
};
} // namespace

std::string KernelRules::text(const ProjectionDim &dim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  index::printLinearForm(os, dim,
                         [&](unsigned label) { os << kernel.labels[label]; });
  return text;
}

LogicalResult KernelRules::verifyNames() {
  // kernel_c1
  if (!isIdentifier(kernel.symbol))
    return emitError() << "'" << kernel.symbol << "' is no identifier of C";
  // kernel_c2
  llvm::StringSet<> labels, names;
  for (StringRef label : kernel.labels) {
    // Of these words subscripts are made.
    if (!isIdentifier(label) ||
        llvm::is_contained({"point", "floordiv", "ceildiv", "mod", "symbol"},
                           label))
      return emitError() << "'" << label << "' is no name of a label";
    if (!labels.insert(label).second)
      return emitError() << "label '" << label << "' occurs twice";
  }
  auto check = [&](StringRef name) -> LogicalResult {
    if (!isIdentifier(name))
      return emitError() << "'" << name << "' is no identifier";
    if (!names.insert(name).second)
      return emitError() << "the name '" << name << "' occurs twice";
    return success();
  };
  for (const auto *tensors : {&kernel.inputs, &kernel.outputs})
    for (const KernelTensor &tensor : *tensors)
      if (failed(check(tensor.name)))
        return failure();
  for (const KernelParam &param : kernel.params)
    if (failed(check(param.name)))
      return failure();
  return success();
}

/// kernel_c3
LogicalResult KernelRules::verifyElements() {
  auto check = [&](StringRef name, StringRef element,
                   bool isParam) -> LogicalResult {
    if (elementCode(element) && !(isParam && element.starts_with("c")))
      return success();
    return emitError() << "'" << name << "' has elements of type '" << element
                       << "'";
  };
  for (const auto *tensors : {&kernel.inputs, &kernel.outputs})
    for (const KernelTensor &tensor : *tensors)
      if (failed(check(tensor.name, tensor.element, false)))
        return failure();
  for (const KernelParam &param : kernel.params)
    if (failed(check(param.name, param.element, true)))
      return failure();
  return success();
}

LogicalResult KernelRules::verifySubscripts() {
  llvm::SmallVector<bool> occurs(kernel.labels.size());
  for (const auto *tensors : {&kernel.inputs, &kernel.outputs})
    for (const KernelTensor &tensor : *tensors)
      for (auto [number, dim] : llvm::enumerate(tensor.projection.dims)) {
        // kernel_c4
        bool isWhole = dim.size == 0;
        unsigned next = 0;
        for (const AffineTerm &term : dim.terms) {
          if (term.dim < next || term.dim >= kernel.labels.size() ||
              term.coefficient == 0)
            return emitError()
                   << "subscript " << number << " of '" << tensor.name
                   << "' has terms out of order or of no label";
          next = term.dim + 1;
          occurs[term.dim] = true;
        }
        if (!dim.isLinear() || dim.size < 0 || dim.stride < 1 ||
            (isWhole &&
             (!dim.terms.empty() || dim.constant != 0 || dim.stride != 1)))
          return emitError()
                 << "subscript " << number << " of '" << tensor.name
                 << "' has size " << dim.size << " and step " << dim.stride
                 << ", expected at least 1 and a linear form";
      }
  // kernel_c5
  for (auto [label, isGiven] : llvm::zip_equal(kernel.labels, occurs))
    if (!isGiven)
      return emitError() << "label '" << label << "' stands in no subscript";
  if (kernel.outputs.empty())
    return emitError() << "there is no output, expected at least 1";
  return success();
}

/// kernel_c6
LogicalResult KernelRules::verifyOutput(const KernelTensor &output) {
  llvm::SmallVector<bool> seen(kernel.labels.size());
  for (auto [number, dim] : llvm::enumerate(output.projection.dims)) {
    if (dim.terms.empty()) {
      if (dim.size == 0)
        continue;
      return emitError() << "dimension " << number << " of output '"
                         << output.name << "' is '" << text(dim)
                         << "', expected a label, a tile of one, or all of it";
    }
    unsigned label = dim.terms.front().dim;
    bool isTile = dim.terms.size() == 1 && dim.constant == 0 &&
                  dim.stride == 1 && dim.terms.front().coefficient == dim.size;
    if (!isTile || seen[label])
      return emitError() << "dimension " << number << " of output '"
                         << output.name << "' is '" << text(dim) << "' of size "
                         << dim.size << ", expected a label that no other "
                         << "dimension has, alone or times the size";
    seen[label] = true;
    if (uses[label] == LabelUse::Region && dim.isPlainDim())
      return emitError() << "label '" << kernel.labels[label]
                         << "' stands alone in output '" << output.name
                         << "', but moves tiles of another";
  }
  for (auto [label, use] : llvm::enumerate(uses))
    if (use == LabelUse::Region && !seen[label])
      return emitError() << "output '" << output.name << "' lacks label '"
                         << kernel.labels[label]
                         << "', which moves tiles of another";
  return success();
}

/// As isLegalMonoid, of names; the order of integers is that of signed ones.
static bool canCombine(std::optional<Monoid> monoid, StringRef element) {
  bool isBool = element == "bool", isComplex = element.starts_with("c");
  switch (monoid.value_or(Monoid::None)) {
  case Monoid::Custom:
    return true;
  case Monoid::Add:
  case Monoid::Mul:
    return !isBool;
  case Monoid::Max:
  case Monoid::Min:
    return !isComplex && !isUnsignedName(element);
  case Monoid::And:
  case Monoid::Or:
  case Monoid::Xor:
    return isBool || element.starts_with("i") || isUnsignedName(element);
  default:
    return false;
  }
}

/// kernel_c7
LogicalResult KernelRules::verifyMonoid(const KernelTensor &output) {
  bool needs = isReduced(kernel, output);
  if (!needs && output.monoid.empty())
    return success();
  if (!needs)
    return emitError() << "output '" << output.name << "' is combined by "
                       << output.monoid << ", but lacks no label";
  if (output.monoid.empty())
    return emitError() << "output '" << output.name
                       << "' lacks a label, and no monoid says how what that "
                          "contributes is combined";
  if (!canCombine(symbolizeMonoid(output.monoid), output.element))
    return emitError() << "output '" << output.name << "' of type '"
                       << output.element << "' cannot be combined by '"
                       << output.monoid << "'";
  return success();
}

/// kernel_c8
LogicalResult KernelRules::verifyCosts() {
  llvm::StringSet<> seen;
  for (const KernelCost &cost : kernel.costs) {
    std::string of = cost.label.empty() ? "point" : cost.label;
    if (!cost.label.empty() && !llvm::is_contained(kernel.labels, cost.label))
      return emitError() << "there are costs of '" << of
                         << "', which is none of its labels";
    if (!isIdentifier(cost.resource) || cost.amount < 0)
      return emitError() << "'" << of << "' takes " << cost.amount << " of '"
                         << cost.resource << "', expected at least 0";
    if (!seen.insert(of + "." + cost.resource).second)
      return emitError() << "'" << of << "' takes '" << cost.resource
                         << "' twice";
  }
  return success();
}

LogicalResult KernelRules::verify() {
  if (failed(verifyNames()) || failed(verifyElements()) ||
      failed(verifySubscripts()))
    return failure();
  uses = labelUses(kernel);
  for (const KernelTensor &output : kernel.outputs)
    if (failed(verifyOutput(output)) || failed(verifyMonoid(output)))
      return failure();
  for (const KernelTensor &input : kernel.inputs)
    if (!input.monoid.empty())
      return emitError() << "input '" << input.name << "' is combined by "
                         << input.monoid << ", which only outputs are";
  return verifyCosts();
}

LogicalResult KernelAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 // The generated declaration takes a copy.
                                 // NOLINTNEXTLINE(performance-*)
                                 Kernel kernel) {
  return KernelRules(emitError, kernel).verify();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
class KernelParser {
public:
  explicit KernelParser(AsmParser &parser) : parser(parser) {}
  ParseResult parse(Kernel &kernel);

private:
  ParseResult parseName(std::string &name) {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    name = keyword.str();
    return success();
  }
  ParseResult parseDim(ProjectionDim &dim);
  ParseResult parseTensor(KernelTensor &tensor, bool isOutput);
  /// What stands behind its name and the colon.
  ParseResult parseTensorType(KernelTensor &tensor, bool isOutput);
  ParseResult parseInputs(Kernel &kernel);
  ParseResult parseCost(KernelCost &cost);

  AsmParser &parser;
  llvm::SmallVector<std::pair<StringRef, AffineExpr>> labels;
};
} // namespace

/// `*` | affine (`:` size (`step` step)?)?
ParseResult KernelParser::parseDim(ProjectionDim &dim) {
  if (succeeded(parser.parseOptionalStar())) {
    dim.size = 0;
    return success();
  }
  SMLoc loc = parser.getCurrentLocation();
  AffineExpr expr;
  if (parser.parseAffineExpr(labels, expr))
    return failure();
  FailureOr<ProjectionDim> form = index::getLinearForm(expr);
  // kernel_c4
  if (failed(form))
    return parser.emitError(loc, "expected a subscript that is linear in the "
                                 "labels with integer coefficients");
  dim = *form;
  if (failed(parser.parseOptionalColon()))
    return success();
  loc = parser.getCurrentLocation();
  if (parser.parseInteger(dim.size) ||
      (succeeded(parser.parseOptionalKeyword("step")) &&
       parser.parseInteger(dim.stride)))
    return failure();
  if (dim.size < 1)
    return parser.emitError(loc, "expected a size of at least 1, got ")
           << dim.size;
  return success();
}

ParseResult KernelParser::parseTensorType(KernelTensor &tensor, bool isOutput) {
  if (parseName(tensor.element) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseDim(tensor.projection.dims.emplace_back());
      }))
    return failure();
  StringRef monoid;
  if (isOutput && succeeded(parser.parseOptionalKeyword(&monoid)))
    tensor.monoid = monoid.str();
  return success();
}

/// name `:` element `[` dims `]` monoid?
ParseResult KernelParser::parseTensor(KernelTensor &tensor, bool isOutput) {
  return failure(parseName(tensor.name) || parser.parseColon() ||
                 parseTensorType(tensor, isOutput));
}

/// `(` (tensor (`,` tensor)*)? (`params` param (`,` param)*)? `)`
ParseResult KernelParser::parseInputs(Kernel &kernel) {
  if (parser.parseLParen())
    return failure();
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  bool hasParams = succeeded(parser.parseOptionalKeyword("params"));
  if (hasParams && succeeded(parser.parseOptionalColon())) {
    // A tensor of that name.
    hasParams = false;
    kernel.inputs.emplace_back().name = "params";
    if (parseTensorType(kernel.inputs.back(), /*isOutput=*/false))
      return failure();
  } else if (!hasParams && parseTensor(kernel.inputs.emplace_back(),
                                       /*isOutput=*/false)) {
    return failure();
  }
  while (!hasParams && succeeded(parser.parseOptionalComma()))
    if (parseTensor(kernel.inputs.emplace_back(), /*isOutput=*/false))
      return failure();
  if (!hasParams && failed(parser.parseOptionalKeyword("params")))
    return parser.parseRParen();
  do {
    KernelParam &param = kernel.params.emplace_back();
    if (parseName(param.name) || parser.parseColon() ||
        parseName(param.element))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseRParen();
}

/// (label | `point`) `.` resource `=` amount
ParseResult KernelParser::parseCost(KernelCost &cost) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword) || parser.parseEqual() ||
      parser.parseInteger(cost.amount))
    return failure();
  auto [label, resource] = keyword.split('.');
  if (resource.empty())
    return parser.emitError(loc, "expected label.resource, got '")
           << keyword << "'";
  cost.label = label == "point" ? "" : label.str();
  cost.resource = resource.str();
  return success();
}

ParseResult KernelParser::parse(Kernel &kernel) {
  auto parseLabel = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    for (const auto &[other, expr] : labels)
      if (other == name)
        return parser.emitError(loc, "label '") << name << "' occurs twice";
    labels.emplace_back(name,
                        parser.getBuilder().getAffineDimExpr(labels.size()));
    kernel.labels.push_back(name.str());
    return success();
  };
  if (parser.parseLess() || parser.parseString(&kernel.symbol) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseLabel) ||
      parseInputs(kernel) || parser.parseArrow() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parseTensor(kernel.outputs.emplace_back(), /*isOutput=*/true);
      }))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("cost")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
        return parseCost(kernel.costs.emplace_back());
      }))
    return failure();
  return parser.parseGreater();
}

Attribute KernelAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  Kernel kernel;
  if (KernelParser(parser).parse(kernel))
    return {};
  return parser.getChecked<KernelAttr>(loc, parser.getContext(), kernel);
}

static void printTensor(llvm::raw_ostream &os, const Kernel &kernel,
                        const KernelTensor &tensor) {
  os << tensor.name << " : " << tensor.element << '[';
  llvm::interleaveComma(tensor.projection.dims, os,
                        [&](const ProjectionDim &dim) {
                          if (dim.size == 0) {
                            os << '*';
                            return;
                          }
                          index::printLinearForm(os, dim, [&](unsigned label) {
                            os << kernel.labels[label];
                          });
                          if (dim.size != 1 || dim.stride != 1)
                            os << " : " << dim.size;
                          if (dim.stride != 1)
                            os << " step " << dim.stride;
                        });
  os << ']';
  if (!tensor.monoid.empty())
    os << ' ' << tensor.monoid;
}

void KernelAttr::print(AsmPrinter &printer) const {
  llvm::raw_ostream &os = printer.getStream();
  const Kernel &kernel = getKernel();
  os << "<\"" << kernel.symbol << "\" [";
  llvm::interleaveComma(kernel.labels, os);
  os << "] (";
  auto printOne = [&](const KernelTensor &tensor) {
    printTensor(os, kernel, tensor);
  };
  llvm::interleaveComma(kernel.inputs, os, printOne);
  if (!kernel.params.empty()) {
    os << (kernel.inputs.empty() ? "params " : " params ");
    llvm::interleaveComma(kernel.params, os, [&](const KernelParam &param) {
      os << param.name << " : " << param.element;
    });
  }
  os << ") -> (";
  llvm::interleaveComma(kernel.outputs, os, printOne);
  os << ')';
  if (!kernel.costs.empty()) {
    os << " cost {";
    llvm::interleaveComma(kernel.costs, os, [&](const KernelCost &cost) {
      os << (cost.label.empty() ? "point" : cost.label) << '.' << cost.resource
         << " = " << cost.amount;
    });
    os << '}';
  }
  os << '>';
}
