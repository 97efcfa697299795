#include "isa/Base/CommandLine/TextTable.h"
#include "isa/Base/Support/StrictJson.h"
#include "isa/Tools/Inspect/Views.h"

#include <fmt/core.h>

namespace tilerig {

// Rates and sizes of a machine in the units of data sheets, derived from its parameters.
struct Derived {
  // Peak rates of all PODs (matrix engines), where multiplication and addition count as two operations.
  double int8Tops, halfTflops, singleTflops;
  double ddrGigabytes, portGigabytes, tilePortGigabytes, linkGigabytes; // per second
  // Bytes of the on-chip memories of all tiles.
  uint64_t ocmBytes;
  // Number of operations per byte from DDR above which the POD (matrix engine) limits the speed.
  double int8OpsPerByte;
};

static Derived derive(const Machine &machine) {
  double hertz = machine.clockMegahertz * 1e6;
  auto peak = [&](const PodRate &rate) {
    return 2.0 * rate.positions * rate.outputs * rate.k * machine.network.tiles * hertz / 1e12;
  };
  auto gigabytes = [&](double bytesPerCycle) { return bytesPerCycle * hertz / 1e9; };
  Derived derived = {};
  derived.int8Tops = peak(machine.pod.int8);
  derived.halfTflops = peak(machine.pod.half);
  derived.singleTflops = peak(machine.pod.single);
  derived.ddrGigabytes = gigabytes(machine.ddr.totalBytesPer1000Cycles / 1000.0);
  derived.portGigabytes = gigabytes(machine.ddr.portBytesPerCycle);
  derived.tilePortGigabytes = gigabytes(machine.network.tilePortBytesPerCycle);
  derived.linkGigabytes = gigabytes(machine.network.linkBytesPerCycle);
  derived.ocmBytes = uint64_t{machine.network.tiles} * machine.tile.ocmBytes;
  derived.int8OpsPerByte = derived.int8Tops * 1e3 / derived.ddrGigabytes;
  return derived;
}

static std::string rate(double gigabytes) { return fmt::format("{:.1f} GB/s", gigabytes); }

static std::string derivedText(const Machine &machine, const Derived &derived) {
  Facts facts;
  const Network &network = machine.network;
  facts.add("machine", machine.name);
  facts.add("tiles", fmt::format("{}, behind {} x {} routers", network.tiles, network.routerRows,
                                 network.routerColumns));
  facts.add("clock", fmt::format("{} MHz", withSeparators(machine.clockMegahertz)));
  facts.add("peak int8", fmt::format("{:.1f} TOPS", derived.int8Tops));
  facts.add("peak fp16, bf16", fmt::format("{:.1f} TFLOPS", derived.halfTflops));
  facts.add("peak fp32", fmt::format("{:.2f} TFLOPS", derived.singleTflops));
  facts.add("OCM",
            fmt::format("{}, {} in each tile", sizeText(derived.ocmBytes), sizeText(machine.tile.ocmBytes)));
  facts.add("DDR",
            fmt::format("{}, {} in all, {} through each of {} DDR ports", sizeText(machine.ddr.sizeBytes),
                        rate(derived.ddrGigabytes), rate(derived.portGigabytes), network.routerRows));
  facts.add("network", fmt::format("{} each way for a tile, {} for a link between routers",
                                   rate(derived.tilePortGigabytes), rate(derived.linkGigabytes)));
  facts.add("balance", fmt::format("{:.0f} int8 operations for each byte from DDR", derived.int8OpsPerByte));
  facts.add("hash", fmt::format("{:016x}", hashMachine(machine)));
  return facts.text();
}

static std::string figuresText(const Machine &machine) {
  Table table({{"figure"}, {"value", Align::right}, {"meaning"}});
  forEachFigure(machine, [&](const FigurePath &path, const auto &figure, uint64_t value) {
    table.add({path.text(), withSeparators(value), std::string(figure.meaning)});
  });
  return "\nFigures\n" + table.text();
}

static Json describe(const Machine &machine, const Derived &derived) {
  Json json = {{"kind", "machine"}, {"machine", *parseStrictJson(printMachine(machine), "")}};
  json["hash"] = fmt::format("{:016x}", hashMachine(machine));
  json["derived"] = {{"peak_int8_tops", derived.int8Tops},
                     {"peak_half_tflops", derived.halfTflops},
                     {"peak_single_tflops", derived.singleTflops},
                     {"ddr_gigabytes_per_second", derived.ddrGigabytes},
                     {"ddr_port_gigabytes_per_second", derived.portGigabytes},
                     {"tile_port_gigabytes_per_second", derived.tilePortGigabytes},
                     {"link_gigabytes_per_second", derived.linkGigabytes},
                     {"ocm_bytes_of_all_tiles", derived.ocmBytes},
                     {"int8_operations_per_ddr_byte", derived.int8OpsPerByte}};
  return json;
}

Result<std::string> inspectMachine(const std::string &nameOrPath, const InspectOptions &options) {
  TILERIG_TRY(Machine machine, loadMachine(nameOrPath));
  Derived derived = derive(machine);
  return options.json ? dump(describe(machine, derived))
                      : derivedText(machine, derived) + figuresText(machine);
}

} // namespace tilerig
