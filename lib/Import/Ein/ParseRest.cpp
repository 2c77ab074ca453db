//===- ParseRest.cpp - The dimensions that a macro leaves open ------------===//
//
// `def f(X[..., c])` takes tensors of any rank: a macro with `...` is read once
// for each number of labels that this may stand for, and a use takes the one
// that fits its arguments.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// What `...` stands for; as many as a tensor of a program may well have.
static constexpr llvm::StringLiteral restLabels[] = {"r0", "r1", "r2", "r3",
                                                     "r4", "r5", "r6", "r7"};

bool Parser::parseRest(
    bool &isThere,
    llvm::function_ref<void(llvm::StringRef, llvm::SMRange)> addLabel) {
  if (insideHeader)
    hasRest = true;
  if (!hasRest) {
    diagnostics.error(token.range(),
                      "'...' stands for labels of a macro whose header has it, "
                      "as in def f(X[..., c]) -> Y[..., c]");
    return false;
  }
  if (isThere) {
    diagnostics.error(token.range(), "'...' stands only once in a list");
    return false;
  }
  isThere = true;
  for (llvm::StringRef label : llvm::ArrayRef(restLabels).take_front(numRest))
    addLabel(label, token.range());
  advance();
  return true;
}

void Parser::parseDefByRest(const Token &keyword, DefStmt &def) {
  llvm::SaveAndRestore restoreCount(numRest, size_t(0));
  llvm::SmallVector<const DefStmt *> byRest;
  for (; numRest <= std::size(restLabels); ++numRest) {
    if (numRest == 1) {
      byRest.push_back(&def);
      continue;
    }
    lexer.restartAt(keyword.spelling.begin());
    token = lexer.lex();
    Token name;
    byRest.push_back(parseDefOnce(name));
  }
  def.byRest = context.copy<const DefStmt *>(byRest);
}
