//===- Sizes.cpp - Params that the inputs' files decide -------------------===//

#include "Analyzer.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

void Analyzer::takeParams(const Program &program) {
  llvm::SmallVector<llvm::StringRef> open;
  for (const Stmt *stmt : program.statements)
    if (auto *param = llvm::dyn_cast<ParamStmt>(stmt))
      if (!param->value && !options.params.contains(param->name))
        open.push_back(param->name);
  if (open.empty() || !options.shapeOfInput)
    return;
  checkNamedInputs(program);
  // The file behind a point may be written before that: others come first.
  for (bool isLate : {false, true})
    for (const Stmt *stmt : program.statements)
      if (auto *input = llvm::dyn_cast<InputStmt>(stmt);
          input && input->after.name.empty() != isLate)
        takeParams(*input, open);
}

/// A file of no input decides nothing. Where nothing is open whoever reads the
/// files says so.
void Analyzer::checkNamedInputs(const Program &program) {
  llvm::SmallVector<llvm::StringRef> known;
  for (const Stmt *stmt : program.statements)
    if (auto *input = llvm::dyn_cast<InputStmt>(stmt))
      known.push_back(input->name);
  for (const auto &[option, name] : options.namedInputs)
    if (!llvm::is_contained(known, name))
      // The mistake is not in the text.
      diagnostics.error(llvm::SMRange(),
                        option + ": " + unknownInput(name, known));
}

std::string tapestry::ein::unknownInput(llvm::StringRef name,
                                        llvm::ArrayRef<llvm::StringRef> known) {
  llvm::StringRef meant = nearestWord(name, known);
  return ("the program has no input '" + name + "'; " +
          (known.empty() ? "it has no inputs at all"
                         : "its inputs are " + llvm::join(known, ", ")) +
          (meant.empty() ? "" : "; did you mean '" + meant + "'?"))
      .str();
}

void Analyzer::takeParams(const InputStmt &input,
                          llvm::ArrayRef<llvm::StringRef> open) {
  auto nameAt = [&](const Expr *extent) -> llvm::StringRef {
    auto *name = llvm::dyn_cast<NameExpr>(extent);
    bool isOpen = name && llvm::is_contained(open, name->name) &&
                  (input.after.name.empty() || !taken.contains(name->name));
    return isOpen ? name->name : "";
  };
  if (llvm::none_of(input.shape,
                    [&](const Expr *e) { return !nameAt(e).empty(); }))
    return;
  auto shape = options.shapeOfInput(input.name, input.border.file.path);
  if (!shape) {
    diagnostics.error(input.nameRange, llvm::toString(shape.takeError()));
    return;
  }
  if (!*shape) {
    for (const Expr *extent : input.shape)
      if (llvm::StringRef name = nameAt(extent); !name.empty())
        undecided.try_emplace(name, &input);
    return;
  }
  if ((*shape)->size() != input.shape.size()) {
    diagnostics.error(input.nameRange,
                      "input '" + input.name + "' has " +
                          countOf(input.shape.size(), "dimension") +
                          ", but what is given for it has " +
                          llvm::Twine((*shape)->size()));
    return;
  }
  for (auto [expr, extent] : llvm::zip(input.shape, **shape)) {
    llvm::StringRef name = nameAt(expr);
    if (name.empty())
      continue;
    auto [it, added] =
        taken.try_emplace(name, TakenParam{extent, expr->range, input.name});
    if (added || it->second.value == extent)
      continue;
    diagnostics
        .error(expr->range,
               "param '" + name + "' is " + llvm::Twine(it->second.value) +
                   " in input '" + it->second.input + "' but " +
                   llvm::Twine(extent) + " in input '" + input.name + "'")
        .note(it->second.where, llvm::Twine(it->second.value) +
                                    " comes from here, by the shapes of the "
                                    "files");
  }
}

std::optional<Number> Analyzer::takenParam(const ParamStmt &stmt) {
  if (auto it = options.params.find(stmt.name); it != options.params.end())
    return it->second;
  if (auto it = taken.find(stmt.name); it != taken.end())
    return Number::ofInteger(it->second.value);
  // An input that would decide it has been reported.
  if (diagnostics.errorCount() != 0)
    return std::nullopt;
  if (const InputStmt *input = undecided.lookup(stmt.name);
      input && options.whyNoShape)
    diagnostics.error(input->nameRange, options.whyNoShape(input->name))
        .note(stmt.nameRange,
              "its shape is to give param '" + stmt.name + "' a value");
  else
    diagnostics.error(stmt.nameRange, "param '" + stmt.name + "' has no value")
        .note("-D " + stmt.name +
              "=8 gives it one; 'run' and 'reference' take it from the file of "
              "an input with the dimension '" +
              stmt.name + "', 'plan' and 'compile' from --like INPUT=FILE.npy");
  return std::nullopt;
}
