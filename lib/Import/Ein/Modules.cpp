//===- Modules.cpp - Macros of other files --------------------------------===//

#include "Analyzer.h"
#include "tapestry/Import/Ein/Parser.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

void Analyzer::visitImport(const ImportStmt &stmt) {
  // A second import of a module says nothing new.
  if (!imported.insert(stmt.name).second)
    return;
  if (!options.loadModule) {
    diagnostics.error(stmt.nameRange, "there are no modules here");
    return;
  }
  llvm::Expected<llvm::StringRef> text = options.loadModule(stmt.name);
  if (!text) {
    diagnostics.error(stmt.nameRange, llvm::toString(text.takeError()));
    return;
  }
  Program program =
      parseProgram(*text, context, diagnostics, /*isModule=*/true);
  Scope &home = modules.emplace_back();
  for (const Stmt *inner : program.statements) {
    if (auto *monoid = llvm::dyn_cast<MonoidStmt>(inner)) {
      visitMonoid(home, *monoid);
      continue;
    }
    auto *def = llvm::dyn_cast<DefStmt>(inner);
    if (!def) {
      if (inner->kind != Stmt::Kind::Invalid)
        diagnostics
            .error(inner->nameRange, "a module holds only macros and monoids")
            .note(stmt.nameRange, "it is imported here");
      continue;
    }
    visitDef(home, *def);
    const Binding *binding = home.findOwn(def->name);
    if (!binding)
      continue;
    Binding outside = *binding;
    outside.home = &home;
    file.define((stmt.name + "." + def->name).str(), outside);
  }
}
