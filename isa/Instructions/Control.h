// Control instructions: synchronisation, delays and markers.
//
// A tile's sequencer goes through its program once, from top to halt, and puts each instruction into the
// queue of the engine that the instruction names. The sequencer waits only where a queue is full or where an
// instruction names the sequencer itself. An engine finishes its instructions in order. Nothing else is
// ordered: accesses that must not overlap in time have to be ordered by the instructions below.
#pragma once

#include "isa/Instructions/Operands.h"
#include "isa/Instructions/Traits.h"

namespace tilerig {

// The layer field of every instruction: bits 8–31, after the opcode in bits 0–7. It names the layer that the
// instruction works for.
template <class T>
constexpr auto layerField() {
  return Field{"layer", &T::layer, 8, 24,
               "layer that the instruction works for; statistics and faults name it"};
}
template <class T>
constexpr auto engineField() {
  return Field{"engine", &T::engine, 32, 3, "engine in whose queue the instruction is executed"};
}

struct Halt {
  uint32_t layer = 0;
  bool operator==(const Halt &) const = default;

  static constexpr uint8_t opcode = 0x01;
  static constexpr std::string_view mnemonic = "halt";
  static constexpr unsigned bits = 128;
  static constexpr auto engine = Engine::sequencer;
  static constexpr auto family = Family::control;
  static constexpr std::string_view meaning =
      "Ends the tile's program. Every tile has exactly one halt, as its last instruction. The tile is done "
      "when its engines have finished all instructions before the halt.";
  static constexpr auto fields() { return std::tuple{layerField<Halt>()}; }
};

struct Sync {
  uint32_t layer = 0;
  Engine engine = Engine::sequencer, on = Engine::pod;
  uint8_t pending = 0;
  bool operator==(const Sync &) const = default;

  static constexpr uint8_t opcode = 0x02;
  static constexpr std::string_view mnemonic = "sync";
  static constexpr unsigned bits = 128;
  static constexpr auto family = Family::control;
  static constexpr std::string_view meaning =
      "Local sync within the tile: `engine` goes on only when the engine `on` has finished every "
      "instruction that stands before this one in the program, except the last `pending` of them. `engine` "
      "and `on` differ, and `on` is not the sequencer.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Sync>(),
        engineField<Sync>(),
        Field{"on", &Sync::on, 35, 3, "engine for which the instruction waits"}.from(1),
        Field{"pending", &Sync::pending, 40, 8,
              "how many of the latest instructions of `on` may be unfinished"},
    };
  }
};

struct Signal {
  uint32_t layer = 0;
  Engine engine = Engine::sequencer;
  uint8_t tile = 0, semaphore = 0;
  uint32_t amount = 1;
  bool operator==(const Signal &) const = default;

  static constexpr uint8_t opcode = 0x03;
  static constexpr std::string_view mnemonic = "signal";
  static constexpr unsigned bits = 128;
  static constexpr auto family = Family::control;
  static constexpr std::string_view meaning =
      "Adds `amount` to a semaphore of `tile` (its own or another) when `engine` has finished everything "
      "before this instruction in its queue. Semaphores count upwards from 0, and each is signalled by a "
      "single engine of a single tile throughout a stage; some wait of the stage must wait for the final "
      "value of the semaphore, which is below 2^32.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Signal>(),
        engineField<Signal>(),
        Field{"tile", &Signal::tile, 40, 8, "tile that owns the semaphore"},
        Field{"semaphore", &Signal::semaphore, 48, 8, "number of the semaphore in the tile that owns it"},
        Field{"amount", &Signal::amount, 64, 32, "amount that is added to the semaphore"}.from(1),
    };
  }
};

struct Wait {
  uint32_t layer = 0;
  Engine engine = Engine::sequencer;
  uint8_t semaphore = 0;
  uint32_t value = 1;
  bool operator==(const Wait &) const = default;

  static constexpr uint8_t opcode = 0x04;
  static constexpr std::string_view mnemonic = "wait";
  static constexpr unsigned bits = 128;
  static constexpr auto family = Family::control;
  static constexpr std::string_view meaning =
      "`engine` goes on only when the tile's own semaphore has reached at least `value`. Waiting does not "
      "change the semaphore.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Wait>(),
        engineField<Wait>(),
        Field{"semaphore", &Wait::semaphore, 48, 8, "number of the semaphore in the own tile"},
        Field{"value", &Wait::value, 64, 32, "value that the semaphore must reach"}.from(1),
    };
  }
};

struct GroupBarrier {
  uint32_t layer = 0;
  uint64_t tiles = 0;
  bool operator==(const GroupBarrier &) const = default;

  static constexpr uint8_t opcode = 0x05;
  static constexpr std::string_view mnemonic = "group_barrier";
  static constexpr unsigned bits = 128;
  static constexpr auto engine = Engine::sequencer;
  static constexpr auto family = Family::control;
  static constexpr std::string_view meaning =
      "The sequencer waits until all engines of the tile have finished everything before this instruction, "
      "and until every tile of the group has reached the same barrier of the same group. The own tile must "
      "be a member.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<GroupBarrier>(),
        Field{"tiles", &GroupBarrier::tiles, 64, 64, "tiles of the group; bit t set: tile t is a member"}.as(
            Notation::set),
    };
  }
};

struct GlobalBarrier {
  uint32_t layer = 0;
  bool operator==(const GlobalBarrier &) const = default;

  static constexpr uint8_t opcode = 0x06;
  static constexpr std::string_view mnemonic = "global_barrier";
  static constexpr unsigned bits = 128;
  static constexpr auto engine = Engine::sequencer;
  static constexpr auto family = Family::control;
  static constexpr std::string_view meaning = "A group barrier of all tiles that the program uses.";
  static constexpr auto fields() { return std::tuple{layerField<GlobalBarrier>()}; }
};

struct Delay {
  uint32_t layer = 0;
  Engine engine = Engine::sequencer;
  uint16_t id = 0;
  uint32_t cycles = 0;
  bool operator==(const Delay &) const = default;

  static constexpr uint8_t opcode = 0x07;
  static constexpr std::string_view mnemonic = "delay";
  static constexpr unsigned bits = 128;
  static constexpr auto family = Family::control;
  static constexpr std::string_view meaning =
      "`engine` does nothing for `cycles` cycles. The loader of the program may set another length for all "
      "delays of the same id. A delay orders nothing.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Delay>(),
        engineField<Delay>(),
        Field{"id", &Delay::id, 40, 16, "id by which the loader can set the length of the delay"},
        Field{"cycles", &Delay::cycles, 64, 32, "length of the delay, unless the loader sets another"},
    };
  }
};

struct Marker {
  uint32_t layer = 0;
  Engine engine = Engine::sequencer;
  MarkerKind kind = MarkerKind::layerBegin;
  uint32_t id = 0;
  bool operator==(const Marker &) const = default;

  static constexpr uint8_t opcode = 0x08;
  static constexpr std::string_view mnemonic = "marker";
  static constexpr unsigned bits = 128;
  static constexpr auto family = Family::control;
  static constexpr std::string_view meaning =
      "Tells an observer that `engine` has reached the marker and has finished everything before it in its "
      "queue: a layer begins, a layer ends, or a debugger may stop. A marker takes no time and orders "
      "nothing.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Marker>(),
        engineField<Marker>(),
        Field{"kind", &Marker::kind, 40, 2, "what happens here"},
        Field{"id", &Marker::id, 64, 32, "number that the observer receives"},
    };
  }
};

using ControlInstructions =
    InstructionList<Halt, Sync, Signal, Wait, GroupBarrier, GlobalBarrier, Delay, Marker>;

} // namespace tilerig
