//===- ParseCall.cpp - Calls of functions and macros in a .ein file -------===//

#include "ParserImpl.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// `X, 2, stride = 3`: what has a name stands behind what has none.
bool Parser::parseArguments(llvm::SmallVectorImpl<ExprPtr> &args,
                            llvm::SmallVectorImpl<ArgumentName> &names) {
  do {
    ArgumentName name;
    if (token.is(TokenKind::Identifier) && peekNext().is(TokenKind::Equal)) {
      name = {token.spelling, token.range()};
      advance();
      advance();
    } else if (!names.empty() && !names.back().name.empty()) {
      diagnostics.error(token.range(),
                        "an argument without a name stands behind '" +
                            names.back().name + " = ...'");
      return false;
    }
    ExprPtr arg = parseExpr();
    if (!arg)
      return false;
    args.push_back(arg);
    names.push_back(name);
  } while (consumeIf(TokenKind::Comma));
  return true;
}

Parser::ExprPtr Parser::parseCall(const Token &callee,
                                  std::optional<ElementType> type) {
  Token open = token;
  // einsum("ij,jk->ik", ...)
  const char *behind = open.range().End.getPointer();
  llvm::StringRef rest(behind, lexer.text().end() - behind);
  if (llvm::StringRef advice = adviceFor(callee.spelling);
      llvm::is_contained({"'", "\""}, rest.ltrim().take_front()) &&
      !advice.empty()) {
    diagnostics
        .error(callee.range(), "there is no function or macro named '" +
                                   callee.spelling + "', and no strings")
        .note(advice);
    return nullptr;
  }
  advance();
  llvm::SmallVector<ExprPtr> args;
  llvm::SmallVector<ArgumentName> names;
  if (!token.is(TokenKind::RParen) && !parseArguments(args, names))
    return nullptr;
  if (!expectClosing(TokenKind::RParen, open))
    return nullptr;
  if (llvm::all_of(names,
                   [](const ArgumentName &name) { return name.name.empty(); }))
    names.clear();
  if (token.is(TokenKind::LSquare)) {
    std::optional<Fold> fold = foldNamed(callee.spelling);
    if (fold && names.empty() && !defined.contains(callee.spelling))
      return parseFolded(callee, *fold, args);
    auto error = diagnostics.error(
        token.range(), "'" + callee.spelling +
                           "(...)' takes no subscripts; a tensor and pad(...) "
                           "do");
    auto *argument =
        args.empty() ? nullptr : llvm::dyn_cast<NameExpr>(args.front());
    if (llvm::StringRef advice = adviceFor(callee.spelling); !advice.empty())
      error.note(advice);
    else if (argument)
      error.note("its arguments do: " + callee.spelling + "(" + argument->name +
                 "[...])");
    return nullptr;
  }
  unsigned depth = 0;
  for (ExprPtr arg : args)
    depth = std::max(depth, arg->depth);
  auto *call = context.create<CallExpr>(since(callee.range().Start), depth + 1,
                                        callee.spelling, callee.range(),
                                        context.copy<ExprPtr>(args), type);
  call->names = context.copy<ArgumentName>(names);
  return checkDepth(call);
}
