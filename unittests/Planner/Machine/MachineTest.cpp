//===- MachineTest.cpp - Machines, their files, and grids over them -------===//

#include "../TestErrors.h"
#include "tapestry/Planner/Machine/MachineFile.h"
#include "tapestry/Planner/Machine/Quantity.h"
#include <cmath>
#include <random>

using namespace tapestry;
using namespace tapestry::machine;
using namespace tapestry::test;

namespace {

Machine builtIn(llvm::StringRef name) { return valueOf(machineNamed(name)); }

std::string show(const DeviceGrid &grid) {
  std::string text;
  for (const DeviceGrid::Axis &axis : grid.axes)
    text +=
        (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

std::string gridOf(llvm::StringRef machine, int64_t devices) {
  return show(valueOf(gridOn(builtIn(machine), devices)));
}

//===----------------------------------------------------------------------===//
// Quantities
//===----------------------------------------------------------------------===//

TEST(Quantity, UnitsAndPrefixes) {
  auto rate = [](llvm::StringRef text) {
    return valueOf(parseQuantity(text, Unit::BytesPerSecond));
  };
  EXPECT_EQ(rate("25GB/s"), 25e9);
  EXPECT_EQ(rate(" 450 GB/s "), 450e9);
  EXPECT_EQ(rate("3.35TB/s"), 3.35e12);
  EXPECT_EQ(rate("400Gbit/s"), 50e9);
  EXPECT_EQ(rate("2GiB/s"), 2147483648.0);
  EXPECT_EQ(rate("1e3B/s"), 1000);
  EXPECT_EQ(rate("12kB/s"), 12000);
  auto time = [](llvm::StringRef text) {
    return valueOf(parseQuantity(text, Unit::Seconds));
  };
  EXPECT_EQ(time("0us"), 0);
  EXPECT_DOUBLE_EQ(time("5us"), 5e-6);
  EXPECT_DOUBLE_EQ(time("2.5 \u00b5s"), 2.5e-6);
  EXPECT_DOUBLE_EQ(time("300ns"), 3e-7);
  EXPECT_DOUBLE_EQ(time(".5ms"), 5e-4);
  auto peak = [](llvm::StringRef text) {
    return valueOf(parseQuantity(text, Unit::FlopsPerSecond));
  };
  EXPECT_EQ(peak("1.5TFLOP/s"), 1.5e12);
  EXPECT_EQ(peak("989Tflops"), 989e12);
}

TEST(Quantity, Refused) {
  auto refused = [](llvm::StringRef text, Unit unit, std::string why) {
    expectError(parseQuantity(text, unit), {"'" + text.str() + "'", why});
  };
  refused("-25GB/s", Unit::BytesPerSecond, "not more than 0");
  refused("0GB/s", Unit::BytesPerSecond, "not more than 0");
  refused("-1us", Unit::Seconds, "not 0 or more");
  refused("1e308GB/s", Unit::BytesPerSecond, "too large");
  refused("1e999GB/s", Unit::BytesPerSecond, "too large");
  refused("1e31B/s", Unit::BytesPerSecond, "too large");
  refused("1e-31B/s", Unit::BytesPerSecond, "too small");
  refused("1e-40s", Unit::Seconds, "too small");
  for (const char *text :
       {"", "25", "GB/s", "nan GB/s", "infGB/s", "25 XB/s", "25GB", "25Gb/s",
        "5us", "2,5GB/s", "0x10GB/s", "25GB/s!", "--25GB/s", ".GB/s"})
    refused(text, Unit::BytesPerSecond, "such as 25GB/s");
  refused("5min", Unit::Seconds, "such as 5us");
  refused("5TB/s", Unit::FlopsPerSecond, "such as 1.5TFLOP/s");
}

TEST(Quantity, Bytes) {
  EXPECT_EQ(valueOf(parseBytes("16GiB")), int64_t(16) << 30);
  EXPECT_EQ(valueOf(parseBytes("80 GB")), 80'000'000'000);
  EXPECT_EQ(valueOf(parseBytes("4096")), 4096);
  EXPECT_EQ(valueOf(parseBytes("1.5kB")), 1500);
  expectError(parseBytes("0"), {"'0'", "less than 1 byte"});
  expectError(parseBytes("-4096"), {"'-4096'", "less than 1 byte"});
  expectError(parseBytes("1e30GB"), {"too large"});
  expectError(parseBytes("9223372036854775808"), {"too large"});
  expectError(parseBytes("16 GiB/s"), {"such as 16GiB"});
  expectError(parseBytes("lots"), {"'lots'"});
}

TEST(Quantity, RoundTrip) {
  EXPECT_EQ(formatQuantity(450e9, Unit::BytesPerSecond), "450GB/s");
  EXPECT_EQ(formatQuantity(2e-6, Unit::Seconds), "2us");
  EXPECT_EQ(formatQuantity(0, Unit::Seconds), "0s");
  EXPECT_EQ(formatQuantity(67e12, Unit::FlopsPerSecond), "67TFLOP/s");
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-12, 18);
  for (Unit unit : {Unit::BytesPerSecond, Unit::Seconds, Unit::FlopsPerSecond})
    for (int i = 0; i < 200; ++i) {
      double value = std::pow(10.0, exponent(random));
      std::string text = formatQuantity(value, unit);
      EXPECT_NEAR(valueOf(parseQuantity(text, unit)), value, 1e-4 * value)
          << text;
    }
}

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

TEST(Machine, BuiltInOnesAreComplete) {
  ASSERT_EQ(builtInMachines().size(), 3u);
  for (const Machine &machine : builtInMachines()) {
    EXPECT_GT(machine.flopsPerSecond, 0) << machine.name;
    EXPECT_GT(machine.memoryBandwidth, 0) << machine.name;
    EXPECT_GT(machine.linkOf("d").bandwidth, 0) << machine.name;
    int64_t devices = 1;
    for (const Machine::Axis &axis : machine.axes) {
      EXPECT_GT(axis.link.bandwidth, 0);
      devices *= axis.size;
    }
    if (!machine.axes.empty())
      EXPECT_EQ(machine.devices, devices) << machine.name;
  }
  EXPECT_EQ(builtIn("h100x256").devices, 256);
  expectError(machineNamed("abacus"), {"'abacus'", "'cpu'", "'h100x8'"});
  expectError(machineNamed("no/such.json"), {"no/such.json: error: "});
}

TEST(Machine, LinksFollowAxesAndTheirPrimeFactors) {
  Machine machine = builtIn("h100x256");
  EXPECT_EQ(machine.linkOf("gpu").bandwidth, 450e9);
  EXPECT_EQ(machine.linkOf("gpu.2").bandwidth, 450e9);
  EXPECT_EQ(machine.linkOf("node.0").bandwidth, 50e9);
  EXPECT_EQ(machine.linkOf("gpus").bandwidth, machine.otherLink.bandwidth);
  DeviceGrid grid;
  grid.axes = {{"node.0", 2}, {"gpu.0", 2}, {"gpu.1", 2}};
  EXPECT_EQ(machine.slowestLink(grid, {1, 2}).bandwidth, 450e9);
  Link both = machine.slowestLink(grid, {0, 2});
  EXPECT_EQ(both.bandwidth, 50e9);
  EXPECT_EQ(both.latency, 5e-6);
  EXPECT_EQ(machine.slowestLink(grid, {}).latency, 0);
  EXPECT_EQ(1e9 / machine.slowestLink(grid, {}).bandwidth, 0);
}

TEST(Machine, PeaksByWidth) {
  Machine machine = builtIn("h100x8");
  EXPECT_EQ(machine.flopsOf(4), 67e12);
  EXPECT_EQ(machine.flopsOf(8), 34e12);
  EXPECT_EQ(machine.flopsOf(2), 989e12);
  EXPECT_EQ(machine.flopsOf(1), 67e12);
  machine.otherPeaks.clear();
  EXPECT_EQ(machine.flopsOf(8), 33.5e12);
  EXPECT_EQ(machine.flopsOf(2), 67e12);
}

TEST(Machine, ThreadsShareOutOperationsAndTheBandwidth) {
  Machine one = builtIn("cpu"), three = one.withThreads(3);
  EXPECT_EQ(one.threads, 1);
  EXPECT_EQ(three.threads, 3);
  for (int64_t width : {2, 4, 8})
    EXPECT_DOUBLE_EQ(three.flopsOf(width), 3 * one.flopsOf(width)) << width;
  EXPECT_EQ(three.memoryBandwidth, one.memoryBandwidth);
  EXPECT_EQ(three.vertexLatency, one.vertexLatency);
  EXPECT_EQ(three.linkOf("d").bandwidth, one.linkOf("d").bandwidth);
  EXPECT_DOUBLE_EQ(three.withThreads(1).flopsOf(4), one.flopsOf(4));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

constexpr const char *lab = R"({
  "tapestry_machine": 1, "name": "lab",
  "flops": {"f32": "20TFLOP/s", "f64": "600GFLOP/s", "f16": "80TFLOP/s"},
  "memory_bandwidth": "900GB/s", "vertex_latency": "4us", "memory": "24GiB",
  "axes": [{"name": "host", "size": 3, "bandwidth": "10Gbit/s",
            "latency": "30us"},
           {"name": "card", "size": 4, "bandwidth": 16e9, "latency": 8e-6}]
})";

TEST(MachineFile, Reads) {
  Machine machine = valueOf(parseMachine(lab, "lab.json"));
  EXPECT_EQ(machine.name, "lab");
  EXPECT_EQ(machine.flopsPerSecond, 20e12);
  EXPECT_EQ(machine.flopsOf(8), 600e9);
  EXPECT_EQ(machine.flopsOf(2), 80e12);
  EXPECT_EQ(machine.memoryBytes, int64_t(24) << 30);
  EXPECT_EQ(machine.devices, 12);
  ASSERT_EQ(machine.axes.size(), 2u);
  EXPECT_EQ(machine.axes[0].name, "host");
  EXPECT_EQ(machine.linkOf("host").bandwidth, 1.25e9);
  EXPECT_EQ(machine.linkOf("card.1").latency, 8e-6);
  // An axis of any other name may be laid across hosts.
  EXPECT_EQ(machine.linkOf("d").bandwidth, 1.25e9);
  EXPECT_DOUBLE_EQ(machine.linkOf("d").latency, 30e-6);
}

std::string textOf(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeMachine(os, machine);
  return text;
}

TEST(MachineFile, WhatIsWrittenReadsBack) {
  std::vector<Machine> machines = builtInMachines().vec();
  machines.push_back(valueOf(parseMachine(lab, "lab.json")));
  machines.push_back(machines.back().withThreads(5));
  machines.back().cutProducts = 1 << 20;
  for (const Machine &machine : machines) {
    std::string text = textOf(machine);
    Machine read = valueOf(parseMachine(text, "again.json"));
    EXPECT_EQ(textOf(read), text);
    EXPECT_EQ(read.name, machine.name);
    EXPECT_EQ(read.devices, machine.devices);
    EXPECT_EQ(read.memoryBytes, machine.memoryBytes);
    EXPECT_EQ(read.threads, machine.threads);
    EXPECT_EQ(read.cutProducts, machine.cutProducts);
    for (int64_t width : {1, 2, 4, 8})
      EXPECT_NEAR(read.flopsOf(width), machine.flopsOf(width),
                  1e-4 * machine.flopsOf(width));
    for (llvm::StringRef axis : {"node", "gpu", "host", "card", "d"})
      EXPECT_NEAR(read.linkOf(axis).latency, machine.linkOf(axis).latency,
                  1e-4 * machine.linkOf(axis).latency);
  }
}

/// The lab's text with the first `from` replaced.
std::string labWith(llvm::StringRef from, llvm::StringRef to) {
  std::string text = lab;
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

TEST(MachineFile, ErrorsNameFileKeyAndValue) {
  auto refused = [](llvm::StringRef from, llvm::StringRef to,
                    std::vector<std::string> parts) {
    parts.insert(parts.end(), {"lab.json:", ": error: "});
    expectError(parseMachine(labWith(from, to), "lab.json"), parts);
  };
  refused("\"900GB/s\"", "\"900GB\"", {"memory_bandwidth", "'900GB'"});
  refused("\"900GB/s\"", "0", {"memory_bandwidth", "more than 0", "got 0"});
  refused("\"900GB/s\"", "-1", {"memory_bandwidth", "got -1"});
  refused("\"900GB/s\"", "[]", {"memory_bandwidth", "a quantity", "[]"});
  refused("\"4us\"", "\"-4us\"", {"vertex_latency", "'-4us'"});
  refused("\"24GiB\"", "-3", {"memory", "-3"});
  refused("\"name\"", "\"threads\": 0, \"name\"", {"threads", "got 0"});
  refused("\"name\"", "\"cut_products\": 0, \"name\"",
          {"cut_products", "got 0"});
  refused("\"name\"", "\"cut_products\": \"all\", \"name\"",
          {"cut_products", "all"});
  refused("\"f32\"", "\"f31\"", {"flops", "unknown key 'f31'"});
  refused("\"f32\": \"20TFLOP/s\",", "", {"flops: no key 'f32'"});
  refused("\"lab\"", "7", {"name", "got 7"});
  refused("\"name\": \"lab\",", "", {"no key 'name'"});
  refused("\"size\": 3", "\"size\": 0", {"axes[0].size", "got 0"});
  refused("\"size\": 3", "\"size\": 1048576",
          {"axes[1].size", "4 devices beside 1048576"});
  refused("\"card\"", "\"host\"", {"axes[1].name", "'host' is given twice"});
  refused("\"card\"", "\"ca.rd\"", {"axes[1].name", "'ca.rd'"});
  refused("8e-6", "\"8e-6\"", {"axes[1].latency", "'8e-6'"});
  refused(", \"latency\": 8e-6", "", {"axes[1]: no key 'latency'"});
  refused("\"memory\"", "\"memroy\"", {"unknown key 'memroy'"});
  refused("machine\": 1", "machine\": 2", {"tapestry_machine", "got 2"});
  refused("}]", "}", {"lab.json"});
  expectError(parseMachine("[1]", "m.json"), {"m.json", "an object", "[1]"});
  expectError(parseMachine(std::string(100000, '['), "m.json"),
              {"m.json", "nested 100000 deep"});
  expectError(parseMachine(R"({"tapestry_machine": 1, "name": "x",
    "flops": 1e9, "memory_bandwidth": 1e9})",
                           "m.json"),
              {"m.json", "no key 'link'"});
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

TEST(Grid, LinksReplaceThoseOfTheMachine) {
  Machine machine = builtIn("cpu");
  Link other = machine.otherLink;
  DeviceGrid grid = valueOf(parseGrid(
      "node=2:bw=25GB/s:lat=5us, gpu = 8 : lat=2us : bw=450 GB/s,x=3:lat=1us",
      &machine));
  EXPECT_EQ(show(grid), "node=2,gpu=8,x=3");
  EXPECT_EQ(machine.linkOf("node").bandwidth, 25e9);
  EXPECT_DOUBLE_EQ(machine.linkOf("node").latency, 5e-6);
  EXPECT_EQ(machine.linkOf("gpu.1").bandwidth, 450e9);
  EXPECT_EQ(machine.linkOf("x").bandwidth, other.bandwidth);
  EXPECT_DOUBLE_EQ(machine.linkOf("x").latency, 1e-6);
  EXPECT_EQ(machine.linkOf("d").bandwidth, other.bandwidth);
}

TEST(Grid, PlainTextNeedsNoMachine) {
  EXPECT_EQ(show(valueOf(parseGrid("node=2,gpu=4", nullptr))), "node=2,gpu=4");
  expectError(parseGrid("node=2:bw=25GB/s", nullptr),
              {"axis 'node'", "no machine"});
}

TEST(Grid, RefusedTexts) {
  auto refused = [](llvm::StringRef text, std::vector<std::string> parts) {
    Machine machine = builtIn("cpu");
    parts.push_back("grid: ");
    expectError(parseGrid(text, &machine), parts);
  };
  refused("", {"''"});
  refused("gpu", {"NAME=SIZE", "'gpu'"});
  refused("=4", {"'=4'"});
  refused("gpu=4,", {"''"});
  refused("gpu=four", {"'gpu=four'"});
  refused("gpu=4:", {"'gpu=4:'"});
  refused("gpu.0=4", {"'gpu.0'", "dot"});
  refused("gpu=0", {"'gpu'", "size 0"});
  refused("gpu=-2", {"size -2"});
  refused("gpu=2,gpu=4", {"'gpu' is named twice"});
  refused("gpu=99999999999999999999", {"'gpu=99999999999999999999'"});
  refused("a=1048576,b=1048576", {"'b'", "1048576"});
  refused("gpu=4:bw=0GB/s", {"'gpu': bw", "'0GB/s'"});
  refused("gpu=4:bw=-1GB/s", {"'gpu': bw", "'-1GB/s'"});
  refused("gpu=4:bw=nanGB/s", {"'gpu': bw", "'nanGB/s'"});
  refused("gpu=4:lat=5", {"'gpu': lat", "'5'"});
  refused("gpu=4:bw=1GB/s:bw=2GB/s", {"'gpu': 'bw' is given twice"});
  refused("gpu=4:speed=3", {"'gpu'", "'speed=3'"});
  refused("gpu=4:lat=1us:", {"'gpu'", "''"});
}

TEST(Grid, AMachineHasOnlyItsDevices) {
  Machine machine = builtIn("h100x256");
  expectError(parseGrid("gpu=16", &machine),
              {"'gpu'", "16", "'h100x256'", "8"});
  expectError(parseGrid("rack=512", &machine), {"512", "256"});
  EXPECT_EQ(show(valueOf(parseGrid("rack=4,gpu=8", &machine))), "rack=4,gpu=8");
  // A link that the grid states makes the axis the user's own.
  EXPECT_EQ(show(valueOf(parseGrid("node=2,gpu=16:bw=1TB/s", &machine))),
            "node=2,gpu=16");
  EXPECT_EQ(machine.linkOf("gpu").bandwidth, 1e12);
}

TEST(Grid, CountsAreLaidOverTheAxes) {
  EXPECT_EQ(gridOf("cpu", 1), "d=1");
  EXPECT_EQ(gridOf("cpu", 7), "d=7");
  EXPECT_EQ(gridOf("h100x8", 1), "gpu=1");
  EXPECT_EQ(gridOf("h100x8", 6), "gpu=6");
  EXPECT_EQ(gridOf("h100x256", 8), "gpu=8");
  EXPECT_EQ(gridOf("h100x256", 16), "node=2,gpu=8");
  EXPECT_EQ(gridOf("h100x256", 12), "node=2,gpu=6");
  EXPECT_EQ(gridOf("h100x256", 22), "node=11,gpu=2");
  EXPECT_EQ(gridOf("h100x256", 29), "node=29");
  EXPECT_EQ(gridOf("h100x256", 256), "node=32,gpu=8");
  expectError(gridOn(builtIn("h100x256"), 37),
              {"37", "node=32,gpu=8", "'h100x256'", "36 can"});
  expectError(gridOn(builtIn("h100x8"), 9), {"9 devices", "has 8"});
  expectError(gridOn(builtIn("cpu"), 0), {"0 devices"});
}

TEST(Grid, EveryCountIsLaidOverOrRefused) {
  Machine machine = builtIn("h100x256");
  for (int64_t devices = 1; devices <= 256; ++devices) {
    auto grid = gridOn(machine, devices);
    bool possible = false;
    for (int64_t gpus = 1; gpus <= 8; ++gpus)
      possible |= devices % gpus == 0 && devices / gpus <= 32;
    EXPECT_EQ(bool(grid), possible) << devices;
    if (grid)
      EXPECT_EQ(grid->numDevices(), devices);
    else
      llvm::consumeError(grid.takeError());
  }
}

} // namespace
