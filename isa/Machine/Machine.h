// The machine description: every parameter ("figure") of an accelerator, stated once. Compiler, analyser and
// emulator read it. Topology.h computes what follows from the figures alone (distances, routes), and
// isa/Timing what follows from figures and instructions (latencies, traffic); compiler, analyser and emulator
// share these functions.
//
// A machine is a built-in one (tr64, tr16, tiny) or is read from a JSON file with the same fields. A
// description that contradicts itself is refused, naming the field.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Machine/Figure.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilerig {

// Upper limit of the number of tiles: a set of tiles is stored in 64 bits.
inline constexpr unsigned maxTiles = 64;
inline constexpr unsigned tilesPerBlock = 4;     // number of tiles that share a router
inline constexpr uint64_t maxCycles = 1'000'000; // upper limit of each latency in a machine description

// The mesh network. Each block of 2 x 2 tiles shares a router. Tile id = 4 * block + i, with blocks numbered
// row-major. A machine of a single block may have fewer than four tiles.
struct Network {
  uint32_t tiles = 0;
  uint32_t routerRows = 0, routerColumns = 0;
  uint32_t tilePortBytesPerCycle = 0;
  uint32_t linkBytesPerCycle = 0;
  uint32_t hopCycles = 0;
  uint32_t chunkBytes = 0;
  bool operator==(const Network &) const = default;

  static constexpr auto figures() {
    return std::tuple{
        Figure{"tiles", &Network::tiles, 1, maxTiles,
               "number of tiles: four in each block, fewer only in a single block"},
        Figure{"router_rows", &Network::routerRows, 1, maxTiles / tilesPerBlock,
               "number of rows of blocks (2 x 2 tiles with a router)"},
        Figure{"router_columns", &Network::routerColumns, 1, maxTiles / tilesPerBlock,
               "number of columns of blocks (2 x 2 tiles with a router)"},
        Figure{"tile_port_bytes_per_cycle", &Network::tilePortBytesPerCycle, 1, 4096,
               "bytes per cycle between a tile and its router, in each direction"},
        Figure{"link_bytes_per_cycle", &Network::linkBytesPerCycle, 1, 4096,
               "bytes per cycle between neighbouring routers, in each direction"},
        Figure{"hop_cycles", &Network::hopCycles, 0, maxCycles,
               "latency of a hop from a router to its neighbour"},
        Figure{"chunk_bytes", &Network::chunkBytes, 64, 1 << 20,
               "size of the chunks into which transfers are split; each chunk waits for free links and DDR "
               "ports"}
            .asPowerOfTwo(),
    };
  }
};

// DDR has one port at column 0 of every router row; every address is reachable from every port. A multicast
// enters through the port of each row that has receivers, but counts only once against the total bandwidth.
struct Ddr {
  uint64_t sizeBytes = 0;
  uint32_t granuleBytes = 0;
  uint32_t latencyCycles = 0;
  uint32_t portBytesPerCycle = 0;
  uint32_t totalBytesPer1000Cycles = 0;
  bool operator==(const Ddr &) const = default;

  static constexpr auto figures() {
    return std::tuple{
        Figure{"size_bytes", &Ddr::sizeBytes, 16, uint64_t{1} << 40, "size of the address space of DDR"},
        Figure{"granule_bytes", &Ddr::granuleBytes, 16, 512,
               "size of a granule of DDR: the smallest transfer, at an aligned address"}
            .asPowerOfTwo(),
        Figure{"latency_cycles", &Ddr::latencyCycles, 0, maxCycles,
               "latency of the first byte of a transfer from or to DDR"},
        Figure{"port_bytes_per_cycle", &Ddr::portBytesPerCycle, 1, 4096,
               "bytes per cycle through the DDR port of one router row"},
        Figure{"total_bytes_per_1000_cycles", &Ddr::totalBytesPer1000Cycles, 1, 256'000'000,
               "bytes per 1000 cycles through all DDR ports together"},
    };
  }
};

// A tile: its on-chip memory (OCM), its semaphores, and the queues of its engines.
struct Tile {
  uint32_t ocmBytes = 0, ocmBanks = 0, ocmRowBytes = 0, ocmAccessBytes = 0;
  uint32_t semaphores = 0;
  uint32_t queueDepth = 0;
  bool operator==(const Tile &) const = default;

  static constexpr auto figures() {
    return std::tuple{
        Figure{"ocm_bytes", &Tile::ocmBytes, 1024, 1 << 26, "size of the on-chip memory of one tile"},
        Figure{"ocm_banks", &Tile::ocmBanks, 1, 256,
               "number of banks over which the rows of the OCM (on-chip memory) are spread"}
            .asPowerOfTwo(),
        Figure{"ocm_row_bytes", &Tile::ocmRowBytes, 16, 1024,
               "size of a row of a bank of the OCM (on-chip memory)"}
            .asPowerOfTwo(),
        Figure{"ocm_access_bytes", &Tile::ocmAccessBytes, 1, 1024,
               "smallest access to the OCM (on-chip memory): a shorter run of bytes costs as much"}
            .asPowerOfTwo(),
        Figure{"semaphores", &Tile::semaphores, 1, 256, "number of semaphores of a tile"},
        Figure{"queue_depth", &Tile::queueDepth, 1, 255,
               "instructions that an engine's queue holds, the running one included"},
    };
  }
};

// Throughput of the POD (matrix engine) in one cycle for one operand type.
struct PodRate {
  uint32_t positions = 0, outputs = 0, k = 0;
  bool operator==(const PodRate &) const = default;

  static constexpr auto figures() {
    return std::tuple{
        Figure{"positions", &PodRate::positions, 1, 1024,
               "output positions that the POD (matrix engine) computes at the same time"},
        Figure{"outputs", &PodRate::outputs, 1, 1024,
               "outputs (channels) that the POD (matrix engine) computes at the same time"},
        Figure{"k", &PodRate::k, 1, 1024, "terms that the POD (matrix engine) adds to each sum in one cycle"},
    };
  }
};

// The POD, the matrix engine of a tile.
struct PodFigures {
  // Throughput for 8-bit integers (int8), for fp16 and bf16 (half), and for fp32 (single).
  PodRate int8, half, single;
  uint32_t operandRegisterBytes = 0, accumulatorBytes = 0;
  uint32_t streamBytesPerCycle = 0;
  uint32_t fillCycles = 0;
  uint32_t specialResultsPerCycle = 0;
  bool operator==(const PodFigures &) const = default;

  static constexpr auto figures() {
    return std::tuple{
        Part{"int8", &PodFigures::int8},
        Part{"half", &PodFigures::half},
        Part{"single", &PodFigures::single},
        Figure{"operand_register_bytes", &PodFigures::operandRegisterBytes, 2, 1 << 24,
               "size of the registers of the POD (matrix engine) for the stationary operand, both halves "
               "together"},
        Figure{"accumulator_bytes", &PodFigures::accumulatorBytes, 4, 1 << 24,
               "size of all 32-bit accumulators of the POD (matrix engine)"},
        Figure{"stream_bytes_per_cycle", &PodFigures::streamBytesPerCycle, 1, 4096,
               "bytes per cycle of each stream (two operands, epilogue, result) of the POD (matrix engine)"},
        Figure{"fill_cycles", &PodFigures::fillCycles, 0, maxCycles,
               "time to fill and drain the multiplier array of the POD (matrix engine)"},
        Figure{"special_results_per_cycle", &PodFigures::specialResultsPerCycle, 1, 4096,
               "results of the POD (matrix engine) per cycle if their computation needs a series or a table"},
    };
  }
};

// The PE, the vector engine of a tile.
struct PeFigures {
  uint32_t bytesPerCycle = 0;
  uint32_t specialElementsPerCycle = 0;
  uint32_t startCycles = 0;
  bool operator==(const PeFigures &) const = default;

  static constexpr auto figures() {
    return std::tuple{
        Figure{"bytes_per_cycle", &PeFigures::bytesPerCycle, 1, 4096,
               "bytes that the PE (vector engine) reads per cycle; it writes as many"},
        Figure{"special_elements_per_cycle", &PeFigures::specialElementsPerCycle, 1, 4096,
               "elements of the PE (vector engine) per cycle that need a division, a series or a table"},
        Figure{"start_cycles", &PeFigures::startCycles, 0, maxCycles,
               "start-up time of an instruction of the PE (vector engine) before its first element"},
    };
  }
};

// Synchronisation latencies. The latencies of hops between routers are added to them: for a semaphore, the
// hops to its tile; for a group barrier, the hops to the router that collects the arrivals of the group.
struct SyncCosts {
  uint32_t localCycles = 0, semaphoreCycles = 0;
  uint32_t groupBarrierCycles = 0, globalBarrierCycles = 0;
  bool operator==(const SyncCosts &) const = default;

  static constexpr auto figures() {
    return std::tuple{
        Figure{"local_cycles", &SyncCosts::localCycles, 0, maxCycles,
               "latency of a sync between two engines of a tile"},
        Figure{"semaphore_cycles", &SyncCosts::semaphoreCycles, 0, maxCycles,
               "latency of a signal until it reaches the semaphore"},
        Figure{"group_barrier_cycles", &SyncCosts::groupBarrierCycles, 0, maxCycles,
               "latency of a barrier of a group of tiles"},
        Figure{"global_barrier_cycles", &SyncCosts::globalBarrierCycles, 0, maxCycles,
               "latency of a barrier of all tiles"},
    };
  }
};

// All parameters of an accelerator. Here and in the parts, figures() lists the parameters with their names in
// JSON, their limits and their meanings.
struct Machine {
  std::string name; // machine name of 1 to 64 letters, digits, '_', '-' or '.'
  uint32_t clockMegahertz = 0;
  Network network;
  Ddr ddr;
  Tile tile;
  PodFigures pod;
  PeFigures pe;
  SyncCosts sync;
  bool operator==(const Machine &) const = default;

  static constexpr auto figures() {
    return std::tuple{
        Figure{"clock_megahertz", &Machine::clockMegahertz, 1, 100'000,
               "clock frequency in MHz, that is, cycles in a microsecond"},
        Part{"network", &Machine::network},
        Part{"ddr", &Machine::ddr},
        Part{"tile", &Machine::tile},
        Part{"pod", &Machine::pod},
        Part{"pe", &Machine::pe},
        Part{"sync", &Machine::sync},
    };
  }
};

// Loads a built-in machine by name, or a JSON file (a name that contains '/' or ends in ".json").
Result<Machine> loadMachine(const std::string &nameOrPath);
// Parses the text of a JSON description; `place` prefixes the error messages. Every parameter must be given,
// unless the description names a built-in machine as its "base" and states only the differences.
Result<Machine> parseMachine(std::string_view json, const std::string &place);
// The description of a machine as JSON, byte for byte the same for equal machines; parseMachine reads it
// back.
std::string printMachine(const Machine &machine);
// Refuses a machine whose parameters contradict each other; the error names one of them.
Status verifyMachine(const Machine &machine, const std::string &place);
// A hash of the name and all numeric parameters of a machine: equal on every host and in every build,
// different for machines that differ in any of them.
uint64_t hashMachine(const Machine &machine);
// The names of the built-in machines.
std::vector<std::string> builtInMachines();

} // namespace tilerig
