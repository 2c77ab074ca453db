//===- Version.cpp - What this build is and can do ------------------------===//

#include "tapestry/Driver/Version.h"
#include "tapestry-rt/Runtime.h"
#include "tapestry/Codegen/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"
#include <elf.h>
#include <link.h>

using namespace tapestry;
using namespace tapestry::driver;

/// Appends the id of a loaded object to `data`.
static int readBuildId(dl_phdr_info *info, size_t, void *data) {
  std::string id;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    const char *at =
        reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr);
    for (const char *end = at + header.p_memsz; at < end;) {
      const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      const char *name = at + sizeof(*note);
      const char *content = name + llvm::alignTo(note->n_namesz, 4);
      at = content + llvm::alignTo(note->n_descsz, 4);
      if (note->n_type == NT_GNU_BUILD_ID &&
          llvm::StringRef(name, note->n_namesz) == llvm::StringRef("GNU\0", 4))
        id += llvm::toHex(llvm::StringRef(content, note->n_descsz),
                          /*LowerCase=*/true);
    }
  }
  static_cast<std::vector<std::string> *>(data)->push_back(std::move(id));
  return 0;
}

std::vector<std::string> tapestry::driver::buildIds() {
  std::vector<std::string> ids;
  dl_iterate_phdr(readBuildId, &ids);
  return ids;
}

/// The highest level of the x86-64 psABI whose instructions this CPU has.
static std::string cpuLevel() {
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  const llvm::StringRef levels[] = {
      "cx16 sahf popcnt sse3 ssse3 sse4.1 sse4.2",
      "avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave",
      "avx512f avx512bw avx512cd avx512dq avx512vl",
  };
  unsigned level = 1;
  for (llvm::StringRef names : levels) {
    if (!llvm::all_of(llvm::split(names, ' '), [&](llvm::StringRef name) {
          return features.lookup(name);
        }))
      break;
    ++level;
  }
  return level == 1 ? "x86-64" : "x86-64-v" + std::to_string(level);
}

void tapestry::driver::printVersion(llvm::raw_ostream &os) {
  std::string build = buildIds().front();
  os << "tapestry " TAPESTRY_VERSION "\n"
     << "  build     " << (build.empty() ? "without an id" : build) << '\n'
     << "  LLVM      " LLVM_VERSION_STRING "\n  targets   ";
  llvm::interleaveComma(allTargets(), os,
                        [&](const TargetKind &kind) { os << kind.name; });
  os << "\n  back ends local, mpi";
  if (std::string reason = rt::whyNotLoadable("mpi"); !reason.empty())
    os << " (not here: " << reason << ")";
  os << "\n  CPU       " << llvm::sys::getHostCPUName() << ", " << cpuLevel()
     << '\n';
}
