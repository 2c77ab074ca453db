//===- JitProgram.cpp - Run an object file in this process ----------------===//
//
// A thin shell around LLVM's ORC JIT, which only links here: the object file
// is machine code already.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Object/JitProgram.h"
#include "tapestry/Object/Object.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

namespace tapestry {

JitProgram::JitProgram(std::unique_ptr<orc::LLJIT> jit) : jit(std::move(jit)) {
  this->jit->getExecutionSession().setErrorReporter([this](Error error) {
    reports += (reports.empty() ? "" : "; ") + toString(std::move(error));
  });
}

JitProgram::~JitProgram() = default;

Expected<std::unique_ptr<JitProgram>>
JitProgram::create(std::unique_ptr<MemoryBuffer> object,
                   ArrayRef<Symbol> symbols, const Others &others) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  orc::JITDylib &dylib = (*jit)->getMainJITDylib();

  orc::SymbolMap map;
  for (const auto &[name, address] : symbols)
    map[(*jit)->mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                          JITSymbolFlags::Exported};
  if (!map.empty())
    if (Error error = dylib.define(orc::absoluteSymbols(std::move(map))))
      return error;

  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  dylib.addGenerator(std::move(*process));

  for (const std::string &path : others.libraries) {
    auto library = orc::DynamicLibrarySearchGenerator::Load(
        path.c_str(), (*jit)->getDataLayout().getGlobalPrefix());
    if (!library)
      return library.takeError();
    dylib.addGenerator(std::move(*library));
  }

  for (MemoryBufferRef other : others.objects)
    if (Error error = (*jit)->addObjectFile(MemoryBuffer::getMemBufferCopy(
            other.getBuffer(), other.getBufferIdentifier())))
      return error;
  if (object) {
    auto parts = objectsIn(*object);
    if (!parts)
      return parts.takeError();
    for (MemoryBufferRef part : *parts)
      if (Error error = (*jit)->addObjectFile(MemoryBuffer::getMemBufferCopy(
              part.getBuffer(), part.getBufferIdentifier())))
        return error;
  }
  return std::unique_ptr<JitProgram>(new JitProgram(std::move(*jit)));
}

Expected<void *> JitProgram::lookup(StringRef name) {
  reports.clear();
  auto address = jit->lookup(name);
  if (!address && !reports.empty())
    return joinErrors(createStringError(reports), address.takeError());
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}

} // namespace tapestry
