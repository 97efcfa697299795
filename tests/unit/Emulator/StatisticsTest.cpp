// Tests of run statistics, worked out by hand on small programs, and of the format of Chrome traces.
#include "emulator/Observe/TimedRun.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "tests/support/Folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

namespace tilerig {
using namespace emulator;
namespace {

using Json = nlohmann::json;

Program assemble(const std::string &text) {
  auto assembly = parseAssembly(text, "test");
  EXPECT_TRUE(assembly) << assembly.error().message();
  EXPECT_TRUE(prove(assembly->program));
  return assembly->program;
}

// Each of two tiles computes an int8 product of 16 x 64 and 64 x 16, from DDR and back to DDR; with an
// initial stage before and a final stage after.
const char *const products = R"(
.machine tiny
.tiles 2
.metadata {
  layers { id: 0 name: "product" where: "accelerator" } layers { id: 1 name: "idle" where: "accelerator" }
}
.input "a" int8 [16, 64] ddr[0x1000]
.input "b" int8 [16, 64] ddr[0x2000]
.output "y" int32 [2, 16, 16] ddr[0x3000]
.output "z" int32 [64] stage=0 ddr[0x4000]
.stage "before" initial
    fill output=i32 ocm[0x4000] <64>
    sync engine=dma_out on=pe
    store source=i32 ocm[0x4000] <64> destination=i32 ddr[0x4000] <64>
    halt
.stage "main" inference
.tile 0
    load source=i8 ddr[0x1000] <1024> destination=i8 ocm[0] <1024>
    load source=i8 ddr[0x2000] <1024> destination=i8 ocm[0x400] <1024>
    sync engine=pod on=dma_in
    matmul a=i8 ocm[0] <16, 64> b=i8 ocm[0x400] <16, 64> output=i32 ocm[0x800] <16, 16>
    sync engine=dma_out on=pod
    store source=i32 ocm[0x800] <256> destination=i32 ddr[0x3000] <256>
    halt
.tile 1
    load source=i8 ddr[0x1000] <1024> destination=i8 ocm[0] <1024>
    load source=i8 ddr[0x2000] <1024> destination=i8 ocm[0x400] <1024>
    sync engine=pod on=dma_in
    matmul a=i8 ocm[0] <16, 64> b=i8 ocm[0x400] <16, 64> output=i32 ocm[0x800] <16, 16>
    sync engine=dma_out on=pod
    store source=i32 ocm[0x800] <256> destination=i32 ddr[0x3400] <256>
    halt
)";

// The program `products` with delay instructions before the loads: delay 0 on tile 0 and delay 1 on tile 1.
Program delayedProducts() {
  std::string text = products;
  for (const char *id : {"1", "0"}) {
    const size_t tile = text.find(std::string(".tile ") + id);
    text.insert(text.find('\n', tile) + 1, std::string("    delay engine=dma_in id=") + id + " cycles=0\n");
  }
  return assemble(text);
}

TEST(Statistics, CountMultiplicationsBytesAndEnergy) {
  const Program program = assemble(products);
  const RunStatistics statistics = countProgram(program);
  const Tally &layer = statistics.layers[0].tally;
  // 16 * 16 * 64 multiplications per tile. Each tile reads 2 * 1 KiB from DDR and writes 1 KiB to it.
  EXPECT_EQ(layer.macs.bits8, 2u * 16384);
  EXPECT_EQ(layer.macs.bits16 + layer.macs.bits32, 0u);
  EXPECT_EQ(layer.traffic.ddrReadBytes, 4096u);
  EXPECT_EQ(layer.traffic.ddrWriteBytes, 2048u);
  // Writes to the OCM (on-chip memory): the loaded operands and the products. Reads from it: the operands,
  // and the products to be stored.
  EXPECT_EQ(layer.traffic.ocmWriteBytes, 2u * (2048 + 1024));
  EXPECT_EQ(layer.traffic.ocmReadBytes, 2u * (2048 + 1024));
  EXPECT_EQ(layer.traffic.linkBytes, 0u); // the machine `tiny` has a single router
  const Energy energy = energyOf(layer.macs, layer.traffic, program.machine);
  EXPECT_EQ(energy.macs, 32768 * 0.25);
  EXPECT_EQ(energy.sram, 12288 * 1.5);
  EXPECT_EQ(energy.dram, 6144 * 250.0);
  EXPECT_EQ(energy.wires, 0);
  // Each of the two tiles does 16,384 multiplications, 1024 per cycle, which takes 16 cycles. DDR takes
  // longer.
  EXPECT_EQ(peakCycles(layer.macs, program), 16);
  EXPECT_EQ(boundCycles(layer, program), 6144u * 1000 / program.machine.ddr.totalBytesPer1000Cycles);
  // The initial stage is not part of an inference.
  EXPECT_EQ(statistics.phases[0].tally.traffic.ddrWriteBytes, 256u);
  EXPECT_EQ(statistics.phases[1].tally.traffic.ddrWriteBytes, 2048u);
}

TEST(Statistics, EnergyOfEveryWidthAndOfLinks) {
  const Machine machine = *loadMachine("tr64"); // a machine with 4 x 4 routers
  const Energy energy = energyOf({.bits8 = 4, .bits16 = 3, .bits32 = 2}, {.linkBytes = 8}, machine);
  EXPECT_EQ(energy.macs, 1 + 3 + 12);
  EXPECT_EQ(energy.wires, 8 * 7.0 / 4);
}

TEST(Statistics, AddUp) {
  const Program program = assemble(products);
  const RunStatistics statistics = timeProgram(program, {});
  EXPECT_GE(statistics.cycles(), boundCycles(statistics.phases[1].tally, program));
  EXPECT_GT(statistics.phases[0].cycles, 0u);
  EXPECT_EQ(statistics.phases[2].cycles, 0u);
  // In both tiles, the products stall until their operands are loaded, and the stores until the products are
  // computed.
  EXPECT_GT(statistics.layers[0].stalled[size_t(Stall::sync)], 0u);
  for (size_t reason = 1; reason < numStalls; ++reason) {
    uint64_t byEngine = 0, byLayer = 0;
    for (const auto &engine : statistics.stalled)
      byEngine += engine[reason];
    for (const LayerStatistics &layer : statistics.layers)
      byLayer += layer.stalled[reason];
    EXPECT_EQ(byEngine, byLayer) << EnumNames<Stall>::values[reason];
  }
  EXPECT_EQ(statistics.layers[1].cycles(), 0u);
  // The steps of the critical path follow each other without gaps or overlaps.
  uint64_t onPath = 0;
  for (const auto &[layer, share] : statistics.criticalPath)
    onPath += share.cycles;
  EXPECT_EQ(onPath, statistics.cycles());
}

TEST(Statistics, TellWhatBoundsALayer) {
  const Program program = assemble(products);
  const Tally layer = countProgram(program).layers[0].tally;
  EXPECT_EQ(boundOf(layer, program), "ddr"); // the multiplications take only 16 cycles
  Tally inside = layer;
  inside.traffic = {};
  EXPECT_EQ(boundOf(inside, program), "multiplications");
  EXPECT_EQ(boundOf({}, program), "");
}

TEST(Statistics, ShareOutTheCriticalPathByLayer) {
  const Json timed = toJson(timeProgram(assemble(products), {}), assemble(products));
  uint64_t onPath = 0;
  for (const Json &part : timed["critical_path"])
    onPath += part["cycles"].get<uint64_t>();
  EXPECT_EQ(onPath, timed["cycles"].get<uint64_t>());
  for (const Json &layer : timed["layers"]) {
    EXPECT_LE(layer["critical_cycles"].get<uint64_t>(), onPath);
    uint64_t all = 0;
    for (const Json &part : layer["critical_cycles_by"])
      all += part.get<uint64_t>();
    EXPECT_EQ(all, layer["critical_cycles"].get<uint64_t>());
  }
  // Loading the operands takes longer than multiplying them.
  const Json &by = timed["layers"][0]["critical_cycles_by"];
  EXPECT_GT(by["ddr"], by["pod"]);
  EXPECT_EQ(timed["critical_path"][0]["name"], "product");
}

// Users of the JSON statistics rely on the names of its fields.
TEST(Statistics, FieldsHaveStableNames) {
  const Program program = assemble(products);
  const Json timed = toJson(timeProgram(program, {}), program), fast = toJson(countProgram(program), program);
  for (const char *name : {"cycles", "utilisation", "macs", "bound_cycles", "ddr_bytes", "energy_pj",
                           "phases", "engines", "layers", "critical_path", "peaks"})
    EXPECT_TRUE(timed.contains(name)) << name;
  const Json &layer = timed["layers"][0];
  for (const char *name : {"name",       "where",          "cycles",          "begin",
                           "end",        "macs",           "utilisation",     "bound_cycles",
                           "ddr_bytes",  "ddr_read_bytes", "ddr_write_bytes", "network_bytes",
                           "link_bytes", "ocm_read_bytes", "ocm_write_bytes", "host_bytes",
                           "energy_pj",  "energy_pj_by",   "busy_cycles",     "stalled_cycles",
                           "bound_by",   "lost_cycles",    "critical_cycles", "critical_cycles_by"})
    EXPECT_TRUE(layer.contains(name)) << name;
  EXPECT_EQ(layer["name"], "product");
  EXPECT_EQ(layer["where"], "accelerator");
  EXPECT_EQ(layer["energy_pj"], 32768 * 0.25 + 12288 * 1.5 + 6144 * 250.0);
  for (const char *name : {"ddr_transfers", "window_cycles", "energy_pj", "energy_rise_pj"})
    EXPECT_TRUE(timed["peaks"].contains(name)) << name;
  EXPECT_FALSE(timed.contains("delays")); // the program has no delay instructions
  const Program delayed = delayedProducts();
  const Json measured = toJson(timeProgram(delayed, {}), delayed);
  EXPECT_EQ(measured["content_hash"].get<std::string>().size(), 16u);
  for (const char *name : {"id", "stage", "tile", "layer", "cycles", "contention_cycles"})
    EXPECT_TRUE(measured["delays"][0].contains(name)) << name;
  EXPECT_FALSE(fast.contains("cycles"));
  EXPECT_EQ(fast["layers"][0]["macs"], 32768);
}

TEST(Peaks, AreOfTransfersAtOnceAndOfEnergyByWindow) {
  const Program program = delayedProducts();
  const RunStatistics together = timeProgram(program, {});
  const double all = 32768 * 0.25 + 12288 * 1.5 + 6144 * 250.0;
  ASSERT_LT(together.cycles(), PeakStatistics::windowCycles);
  EXPECT_EQ(together.peaks.ddrTransfers, 2u);
  EXPECT_DOUBLE_EQ(together.peaks.energy, all);
  EXPECT_DOUBLE_EQ(together.peaks.energyRise, all); // the energy is 0 before the first time window

  // The second tile starts when the first has finished, so the work of the two tiles falls into different
  // time windows of the peak statistics.
  const RunStatistics apart = timeProgram(program, {.delays = {{1, 2000}}, .jitter = {}});
  EXPECT_EQ(apart.peaks.ddrTransfers, 1u);
  EXPECT_DOUBLE_EQ(apart.peaks.energy, all / 2);
}

TEST(Delays, GrowByTheContentionBehindThem) {
  const Program program = delayedProducts();
  const RunStatistics first = timeProgram(program, {});
  ASSERT_EQ(first.delays.size(), 2u);
  for (const DelayStatistics &delay : first.delays) {
    EXPECT_EQ(delay.tile, delay.id);
    EXPECT_EQ(delay.cycles, 0u);
  }
  // Both tiles request 1 KiB at once. DDR serves the lower tile first and the other one waits.
  EXPECT_EQ(first.delays[0].contentionCycles, 0u);
  EXPECT_GT(first.delays[1].contentionCycles, 0u);
  const DelayAmounts amounts = delaysFrom(first.delays);
  EXPECT_EQ(amounts.at(0), first.delays[0].contentionCycles);
  EXPECT_EQ(amounts.at(1), first.delays[1].contentionCycles);

  // If tile 1 starts much later, the loads of the two tiles do not compete. No contention is measured, and
  // the program keeps its delays.
  const RunStatistics apart = timeProgram(program, {.delays = {{1, 2000}}, .jitter = {}});
  EXPECT_EQ(apart.delays[1].cycles, 2000u);
  EXPECT_EQ(apart.delays[1].contentionCycles, 0u);
  EXPECT_EQ(delaysFrom(apart.delays), (DelayAmounts{{0, 0}, {1, 2000}}));
}

TEST(Delays, OfOneIdTakeTheLeastAmount) {
  const std::vector<DelayStatistics> measured = {{.id = 4, .cycles = 10, .contentionCycles = 30},
                                                 {.id = 4, .cycles = 10, .contentionCycles = 5},
                                                 {.id = 9, .cycles = UINT32_MAX, .contentionCycles = 1}};
  EXPECT_EQ(delaysFrom(measured), (DelayAmounts{{4, 15}, {9, UINT32_MAX}}));
}

// --- traces ---

// Checks a trace: every event has its fields, and the complete events of a track begin in order and do not
// overlap.
void checkTrace(const Json &trace, uint64_t end) {
  ASSERT_TRUE(trace.is_object() && trace["traceEvents"].is_array());
  std::map<std::pair<int, int>, uint64_t> free;
  std::map<std::pair<int, int>, bool> named;
  size_t whole = 0;
  for (const Json &event : trace["traceEvents"]) {
    ASSERT_TRUE(event["ph"].is_string() && event["pid"].is_number_unsigned());
    ASSERT_TRUE(event["name"].is_string() && !event["name"].get<std::string>().empty());
    const int pid = event["pid"], tid = event.value("tid", 0);
    if (event["ph"] == "M") {
      EXPECT_TRUE(event["name"] == "process_name" || event["name"] == "thread_name");
      EXPECT_TRUE(event["args"]["name"].is_string());
      named[{pid, tid}] = true;
      continue;
    }
    ASSERT_EQ(event["ph"], "X");
    ASSERT_TRUE(event["ts"].is_number_unsigned() && event["dur"].is_number_unsigned());
    ASSERT_TRUE(event["tid"].is_number_unsigned() && event["args"].is_object());
    EXPECT_TRUE((named[{pid, tid}])) << pid << " " << tid;
    const uint64_t begin = event["ts"], duration = event["dur"];
    EXPECT_GT(duration, 0u);
    EXPECT_GE(begin, (free[{pid, tid}])) << event.dump();
    free[{pid, tid}] = begin + duration;
    EXPECT_LE(begin + duration, end);
    ++whole;
  }
  EXPECT_GT(whole, 0u);
}

TEST(Trace, KeepsTheRulesOfChromeTraces) {
  size_t checked = 0;
  for (const auto &entry : std::filesystem::directory_iterator(test::examplePrograms())) {
    if (entry.path().extension() != ".trasm")
      continue;
    auto text = readText(entry.path());
    auto assembly = parseAssembly(text ? *text : "", entry.path());
    ASSERT_TRUE(assembly);
    if (!assembly->test.problems.empty() || !prove(assembly->program))
      continue;
    const Program &program = assembly->program;
    TraceWriter trace(program);
    RunStatistics statistics = timeProgram(program, {.delays = {}, .jitter = {}, .trace = &trace});
    uint64_t end = 0;
    for (const PhaseStatistics &phase : statistics.phases)
      end += phase.cycles;
    const Json document = Json::parse(std::move(trace).finish(), nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << entry.path();
    SCOPED_TRACE(entry.path());
    checkTrace(document, end);
    ++checked;
  }
  EXPECT_GE(checked, 8u);
}

TEST(Trace, WritesNamesThatNeedEscapes) {
  std::string text = products;
  text.replace(text.find("\"product\""), 9, R"("a \"b\"\n\\c")");
  const Program program = assemble(text);
  TraceWriter trace(program);
  timeProgram(program, {.delays = {}, .jitter = {}, .trace = &trace});
  const Json document = Json::parse(std::move(trace).finish(), nullptr, false);
  ASSERT_FALSE(document.is_discarded());
  const Json &events = document["traceEvents"];
  EXPECT_TRUE(std::ranges::any_of(events, [](const Json &event) {
    return event["ph"] == "X" && event["args"]["layer"] == "a \"b\"\n\\c";
  }));
}

} // namespace
} // namespace tilerig
