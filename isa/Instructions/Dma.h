// DMA instructions: transfers between DDR and the OCMs, with an optional conversion of the element type.
//
// A DMA engine works in two phases: it reads the source, then writes the destination. The next instruction of
// its queue may begin to read when this one has finished reading, and writes end in order. Two transfers of
// one engine are therefore ordered read after read and write after write, but not read after write: a
// transfer that reads what the previous one writes needs a sync in between (from another engine, or from the
// sequencer). An instruction is finished when its write phase is.
#pragma once

#include "isa/Instructions/Control.h"

namespace tilerig {

#define TILERIG_DMA_CONVERSION                                                                               \
  "Types may differ: fp32 to fp16 or bf16 (rounded half even) and back (exact), i8 or u8 to i9 (exact), i9 " \
  "to i8 or u8 (by the clip flag). "

struct Load {
  uint32_t layer = 0;
  bool clip = false;
  Stream source = {}, destination = {};
  bool operator==(const Load &) const = default;

  static constexpr uint8_t opcode = 0x10;
  static constexpr std::string_view mnemonic = "load";
  static constexpr unsigned bits = 896;
  static constexpr auto engine = Engine::dmaIn;
  static constexpr auto family = Family::transfer;
  static constexpr std::string_view meaning = "DMA-in: copies `source` (DDR or the OCM of another tile) to "
                                              "`destination` (own OCM), element by element; the sizes of "
                                              "both agree. " TILERIG_DMA_CONVERSION;
  static constexpr auto fields() {
    return std::tuple{
        layerField<Load>(),
        Field{"clip", &Load::clip, 32, 1, "i9 to i8 or u8: 1 saturates, 0 keeps the low eight bits"},
        Group{"source", &Load::source, 128, "data to read, in DDR or in the OCM of another tile"},
        Group{"destination", &Load::destination, 512, "where the data are written: own OCM"},
    };
  }
};

struct Store {
  uint32_t layer = 0;
  bool clip = false;
  Stream source = {}, destination = {};
  bool operator==(const Store &) const = default;

  static constexpr uint8_t opcode = 0x11;
  static constexpr std::string_view mnemonic = "store";
  static constexpr unsigned bits = 896;
  static constexpr auto engine = Engine::dmaOut;
  static constexpr auto family = Family::transfer;
  static constexpr std::string_view meaning =
      "DMA-out: copies `source` (own OCM) to `destination` (DDR, the OCM of another tile, or the own OCM), "
      "element by element; the sizes of both agree. " TILERIG_DMA_CONVERSION
      "The constants of the program are read-only: storing there is a fault.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Store>(),
        Field{"clip", &Store::clip, 32, 1, "i9 to i8 or u8: 1 saturates, 0 keeps the low eight bits"},
        Group{"source", &Store::source, 128, "data to read, in the own OCM"},
        Group{"destination", &Store::destination, 512,
              "where the data are written: DDR, the OCM of another tile, or the own OCM"},
    };
  }
};

struct Multicast {
  uint32_t layer = 0;
  bool clip = false;
  uint64_t tiles = 0;
  Stream source = {}, destination = {};
  bool operator==(const Multicast &) const = default;

  static constexpr uint8_t opcode = 0x12;
  static constexpr std::string_view mnemonic = "multicast";
  static constexpr unsigned bits = 896;
  static constexpr auto family = Family::transfer;
  static constexpr std::string_view meaning =
      "Copies `source` to the same place in the OCM of every tile of `tiles` (own tile included if its bit "
      "is set). Runs on DMA-in where the source is DDR, on DMA-out where it is the own OCM; the data "
      "crosses each link once. " TILERIG_DMA_CONVERSION;
  static constexpr auto fields() {
    return std::tuple{
        layerField<Multicast>(),
        Field{"clip", &Multicast::clip, 32, 1, "i9 to i8 or u8: 1 saturates, 0 keeps the low eight bits"},
        Field{"tiles", &Multicast::tiles, 64, 64, "receivers; bit t set: tile t receives the data"}.as(
            Notation::set),
        Group{"source", &Multicast::source, 128, "data to read, in DDR or in the own OCM"},
        Group{"destination", &Multicast::destination, 512,
              "where each receiver stores the data; its space is ocm"},
    };
  }
};

constexpr Engine engineOf(const Multicast &multicast) {
  return multicast.source.space == Space::ddr ? Engine::dmaIn : Engine::dmaOut;
}

struct Gather {
  uint32_t layer = 0;
  Stream indices = {}, source = {}, destination = {};
  bool operator==(const Gather &) const = default;

  bool mayFault() const { return true; }

  static constexpr uint8_t opcode = 0x13;
  static constexpr std::string_view mnemonic = "gather";
  static constexpr unsigned bits = 1280;
  static constexpr auto engine = Engine::dmaIn;
  static constexpr auto family = Family::transfer;
  static constexpr std::string_view meaning =
      "DMA-in: for each of N indices (i32, own OCM, sizes 1 1 1 1 N) copies one row of `source` (DDR or own "
      "OCM, sizes 1 1 R X Y) to `destination` (own OCM, sizes 1 1 N X Y, same type). A negative index counts "
      "from R; one outside -R..R-1 is a fault. Which rows are read is not known before the instruction runs, "
      "so all of `source` counts as read.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Gather>(),
        Group{"indices", &Gather::indices, 128, "indices of the rows to read: i32 in the own OCM"},
        Group{"source", &Gather::source, 512, "table of rows, in DDR or in the own OCM"},
        Group{"destination", &Gather::destination, 896, "where the selected rows are written: own OCM"},
    };
  }
};

using DmaInstructions = InstructionList<Load, Store, Multicast, Gather>;

} // namespace tilerig
