//===- Main.cpp - The kernel benchmark ------------------------------------===//
//
// Compiles each workload in this process, runs it on one thread and prints its
// speed as a part of this machine's limit, measured right before and after.
//
//   tapestry-bench-kernels [--dump|--print|--limits] [--cpu=NAME] [WORKLOAD]...
//
// A workload is a part of a name, or MxNxK: a product of these extents. --dump
// prints the assembly too, --print only the workloads' IR. --limits prints what
// speed.py divides by: this machine's limits, without AVX-512 for x86-64-v3.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Workloads.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tapestry/Codegen/CPU/CPUTarget.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Pipeline.h"
#include "tapestry/Object/JitProgram.h"
#include "tapestry/Object/Object.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <sys/mman.h>

using namespace mlir;

namespace {

// Stand-ins for the runtime's arena: blocks are kept for the next call.
std::multimap<uint64_t, void *> &freeBlocks() {
  static std::multimap<uint64_t, void *> blocks;
  return blocks;
}
std::map<void *, uint64_t> &blockSizes() {
  static std::map<void *, uint64_t> sizes;
  return sizes;
}

/// Large blocks lie in large pages, as the runtime's do.
void *allocate(uint64_t alignment, uint64_t bytes) {
  const uint64_t page = bytes < (2 << 20) ? 4096 : 2 << 20;
  bytes = (bytes + page - 1) / page * page;
  auto found = freeBlocks().find(bytes);
  if (found != freeBlocks().end()) {
    void *memory = found->second;
    freeBlocks().erase(found);
    return memory;
  }
  void *memory = aligned_alloc(page, bytes + page);
  madvise(memory, bytes, MADV_HUGEPAGE);
  blockSizes()[memory] = bytes;
  return memory;
}

void release(void *memory) {
  if (memory)
    freeBlocks().insert({blockSizes()[memory], memory});
}

/// What kernels ask the runtime for: all is the share of one thread.
void runAlone(void (*function)(void *), void *arguments, int64_t /*work*/) {
  function(arguments);
}
int64_t shareOfAll(int64_t units, int64_t behind) { return behind ? units : 0; }

/// A buffer with its descriptor, as compiled code expects it.
struct Buffer {
  std::unique_ptr<void, void (*)(void *)> storage{nullptr, release};
  std::vector<int64_t> descriptor;

  Buffer(const bench::Argument &argument, unsigned seed) {
    int64_t count = 1;
    for (int64_t extent : argument.shape)
      count *= extent;
    storage.reset(allocate(64, count * 8 + 64));
    auto address = reinterpret_cast<intptr_t>(storage.get());
    std::minstd_rand random(seed);
    if (argument.type == "f32") {
      auto *data = reinterpret_cast<float *>(address);
      for (int64_t i = 0; i < count; ++i)
        data[i] = float(random() % 2001) / 1000 - 1;
    } else {
      // Small numbers in every other type: no subnormals, no overflow.
      for (size_t i = 0; i < size_t(count) * 8; ++i)
        reinterpret_cast<char *>(address)[i] = char(random() % 2 ? 0x3c : 0x3d);
    }
    descriptor = {address, address, 0};
    descriptor.insert(descriptor.end(), argument.shape.begin(),
                      argument.shape.end());
    int64_t stride = count;
    for (int64_t extent : argument.shape)
      descriptor.push_back(stride /= extent);
  }
};

using Entry = void (*)(void *, void *, void *, void *);

struct Compiled {
  std::unique_ptr<tapestry::JitProgram> program;
  Entry entry = nullptr;
  double seconds = 0;
};

std::optional<Compiled> compile(MLIRContext &context,
                                const bench::Workload &workload,
                                const std::string &cpu, bool dump) {
  Compiled result;
  double start = bench::now();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(workload.ir, &context);
  if (!module)
    return std::nullopt;
  for (Operation &function : *module->getBody())
    function.setAttr(tapestry::deviceAttrName, UnitAttr::get(&context));
  PassManager pm(&context);
  tapestry::CodegenOptions options;
  options.targetCPU = cpu;
  options.tiles = cpu == "native";
  tapestry::buildCodegenPipeline(pm, *llvm::cantFail(options.makeTarget()),
                                 options);
  if (failed(pm.run(*module)))
    return std::nullopt;
  double lowered = bench::now();
  tapestry::ObjectOptions objectOptions;
  objectOptions.cpu = cpu;
  std::string assembly;
  llvm::raw_string_ostream stream(assembly);
  if (dump)
    objectOptions.dumpAssembly = &stream;
  auto object = tapestry::compileToObject(*module, objectOptions);
  if (failed(object))
    return std::nullopt;
  double compiled = bench::now();
  if (dump) {
    llvm::outs() << assembly;
    fprintf(stderr, "lowering %.1f ms, LLVM %.1f ms\n", 1e3 * (lowered - start),
            1e3 * (compiled - lowered));
  }
  auto program = tapestry::JitProgram::create(
      std::move(*object),
      {{"_mlir_memref_to_llvm_aligned_alloc", (void *)allocate},
       {"_mlir_memref_to_llvm_free", (void *)release},
       {"tapestry_rt_parallel", (void *)runAlone},
       {"tapestry_rt_share", (void *)shareOfAll}});
  if (!program) {
    llvm::errs() << toString(program.takeError()) << "\n";
    return std::nullopt;
  }
  auto entry = (*program)->lookup("_mlir_ciface_main");
  if (!entry) {
    llvm::errs() << toString(entry.takeError()) << "\n";
    return std::nullopt;
  }
  result.seconds = bench::now() - start;
  result.program = std::move(*program);
  result.entry = reinterpret_cast<Entry>(*entry);
  return result;
}

bool run(MLIRContext &context, const bench::Workload &workload,
         const std::string &cpu, bool dump) {
  std::optional<Compiled> compiled = compile(context, workload, cpu, dump);
  if (!compiled) {
    llvm::errs() << workload.name << ": does not compile\n";
    return false;
  }
  std::vector<Buffer> buffers;
  for (const bench::Argument &argument : workload.arguments)
    buffers.emplace_back(argument, buffers.size() + 1);
  void *pointers[4] = {};
  for (size_t i = 0; i < buffers.size(); ++i)
    pointers[i] = buffers[i].descriptor.data();
  double before = workload.flops ? bench::peakFlops(cpu == "x86-64-v3")
                                 : bench::copyBytes();
  double seconds = bench::medianSeconds(7, [&] {
    compiled->entry(pointers[0], pointers[1], pointers[2], pointers[3]);
  });
  double after = workload.flops ? bench::peakFlops(cpu == "x86-64-v3")
                                : bench::copyBytes();
  double limit = (before + after) / 2;
  printf("%-28s %9.3f ms  ", workload.name.c_str(), 1e3 * seconds);
  if (workload.flops)
    printf("%6.1f GFLOP/s  %5.1f %% of peak", workload.flops / seconds * 1e-9,
           100 * workload.flops / seconds / limit);
  else
    printf("%6.1f GB/s     %5.2f x copy   ", workload.bytes / seconds * 1e-9,
           seconds * limit / workload.bytes);
  printf("   (compiled in %.0f ms)\n", 1e3 * compiled->seconds);
  fflush(stdout);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  std::string mode, cpu = "native";
  std::vector<std::string> names;
  std::vector<bench::Workload> workloads = bench::allWorkloads();
  for (llvm::StringRef word : llvm::ArrayRef(argv, argc).drop_front()) {
    long m, n, k;
    if (word.consume_front("--cpu="))
      cpu = word.str();
    else if (word.starts_with("--"))
      mode = word.str();
    else
      names.push_back(word.str());
    if (sscanf(word.str().c_str(), "%ldx%ldx%ld", &m, &n, &k) == 3)
      workloads.push_back(bench::product(m, n, k));
  }
  if (mode == "--limits") {
    printf("{\"flops\": %.6e, \"copied\": %.6e}\n",
           bench::peakFlops(cpu == "x86-64-v3"), bench::copyBytes());
    return 0;
  }
  DialectRegistry registry;
  tapestry::registerCPUTarget();
  tapestry::registerCodegenDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  bool ok = true;
  for (const bench::Workload &workload : workloads) {
    bool wanted = names.empty() || llvm::any_of(names, [&](auto &name) {
                    return llvm::StringRef(workload.name).contains(name);
                  });
    if (wanted && mode == "--print")
      llvm::outs() << "// " << workload.name << "\n" << workload.ir;
    else if (wanted)
      ok &= run(context, workload, cpu, mode == "--dump");
  }
  return ok ? 0 : 1;
}
