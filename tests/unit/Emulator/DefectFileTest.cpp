// Tests of the JSON files that describe hardware defects: what they mean, and how precisely a wrong file is
// refused.
#include "emulator/Defects/DefectFile.h"
#include "tests/unit/Emulator/AssembledRun.h"

namespace tilerig {
using namespace emulator;
namespace {

const Program &program() {
  static const Program assembled = test::assembled(R"(
.tiles 2
.tile 0
    signal engine=pe tile=1 semaphore=0
    store source=u8 ocm[0] <4> destination=u8 remote 1[0] <4>
    halt
.tile 1
    wait semaphore=0
    halt
)")
                                       .program;
  return assembled;
}

TEST(DefectFile, DescribesDefects) {
  const auto defects = parseDefects(R"({"faults": [
    {"kind": "stuck_bit", "tile": 0, "position": 3, "output": 15, "bit": 31, "value": 1},
    {"kind": "dead_lane", "tile": 1, "position": 2, "output": 4},
    {"kind": "narrow_accumulators", "tile": 1, "bits": 12},
    {"kind": "dead_tile", "tile": 1},
    {"kind": "flipped_bit", "memory": "ocm", "tile": 1, "address": 100, "bit": 7, "cycle": 5000},
    {"kind": "flipped_bit", "memory": "ddr", "address": 4096, "bit": 0, "cycle": 1},
    {"kind": "lost_signal", "tile": 0, "signal": 0},
    {"kind": "delayed_transfer", "tile": 0, "transfer": 0, "cycles": 700},
    {"kind": "wrong_destination", "tile": 0, "transfer": 0, "receiver": 1, "actual": 0}]})",
                                    "f", program());
  ASSERT_TRUE(defects) << defects.error().message();
  ASSERT_EQ(defects->stuckBits.size(), 1u);
  EXPECT_EQ(defects->stuckBits[0].lane.position, 3u);
  EXPECT_EQ(defects->stuckBits[0].lane.output, 15u);
  EXPECT_EQ(defects->stuckBits[0].bit, 31u);
  EXPECT_TRUE(defects->stuckBits[0].value);
  ASSERT_EQ(defects->deadLanes.size(), 1u);
  EXPECT_EQ(defects->deadLanes[0].tile, 1u);
  ASSERT_EQ(defects->narrowAccumulators.size(), 1u);
  EXPECT_EQ(defects->narrowAccumulators[0].tile, 1u);
  EXPECT_EQ(defects->narrowAccumulators[0].bits, 12u);
  EXPECT_EQ(defects->deadTiles, 2u);
  ASSERT_EQ(defects->flippedBits.size(), 2u);
  EXPECT_FALSE(defects->flippedBits[0].inDdr);
  EXPECT_EQ(defects->flippedBits[0].address, 100u);
  EXPECT_EQ(defects->flippedBits[0].cycle, 5000u);
  EXPECT_TRUE(defects->flippedBits[1].inDdr);
  EXPECT_EQ(defects->lostSignals.size(), 1u);
  ASSERT_EQ(defects->delayedTransfers.size(), 1u);
  EXPECT_EQ(defects->delayedTransfers[0].cycles, 700u);
  ASSERT_EQ(defects->wrongDestinations.size(), 1u);
  EXPECT_EQ(defects->wrongDestinations[0].receiver, 1u);
}

struct Refusal {
  const char *json, *message; // a wrong file, and the start of the message that refuses it
};

TEST(DefectFile, NamesTheFieldThatIsWrong) {
  for (
      const Refusal &refusal : {
          Refusal{"{\"faults\": [\n  {,]}", "f:2:4: the JSON text is invalid at \",]}\""},
          Refusal{"{}", "f: faults: the key is missing"},
          Refusal{R"({"faults": {}})", "f: faults: must be a list, not an object"},
          Refusal{"[]", "f: must be an object, not a list"},
          Refusal{R"({"faults": [], "fault": 1})", "f: fault: unknown key; did you mean 'faults'?"},
          Refusal{R"({"faults": [], "faults": []})", "f: faults: the key is given twice"},
          Refusal{R"({"faults": [7]})", "f: faults[0]: must be an object, not 7"},
          Refusal{R"({"faults": [{"tile": 0}]})",
                  "f: faults[0].kind: the key is missing; expected stuck_bit, "},
          Refusal{R"({"faults": [{"kind": "dead_tiel", "tile": 0}]})",
                  "f: faults[0].kind: unknown value \"dead_tiel\"; did you mean 'dead_tile'?"},
          Refusal{R"({"faults": [{"kind": "dead_tile", "tile": 0}, {"kind": "dead_tile"}]})",
                  "f: faults[1].tile: the key is missing"},
          Refusal{R"({"faults": [{"kind": "dead_tile", "tile": 2}]})",
                  "f: faults[0].tile: 2 must be below 2, the number of tiles of the program"},
          Refusal{R"({"faults": [{"kind": "dead_tile", "tile": -1}]})",
                  "f: faults[0].tile: must be a whole number from 0 to 2147483647, not -1"},
          Refusal{R"({"faults": [{"kind": "dead_tile", "tile": 0, "title": 0}]})",
                  "f: faults[0].title: unknown key; did you mean 'tile'?"},
          Refusal{R"({"faults": [{"kind": "dead_lane", "tile": 0, "position": 16, "output": 0}]})",
                  "f: faults[0].position: 16 must be below 16"},
          Refusal{
              R"({"faults": [{"kind": "stuck_bit", "tile": 0, "position": 1, "output": 0, "bit": 32, "value": 1}]})",
              "f: faults[0].bit: 32 must be below 32"},
          Refusal{
              R"({"faults": [{"kind": "stuck_bit", "tile": 0, "position": 1, "output": 0, "bit": 3, "value": 2}]})",
              "f: faults[0].value: must be a whole number from 0 to 1, not 2"},
          Refusal{
              R"({"faults": [{"kind": "flipped_bit", "memory": "ram", "address": 0, "bit": 0, "cycle": 0}]})",
              "f: faults[0].memory: unknown value \"ram\""},
          Refusal{
              R"({"faults": [{"kind": "flipped_bit", "memory": "ocm", "tile": 0, "address": 65536, "bit": 0, "cycle": 0}]})",
              "f: faults[0].address: 65536 must be below 65536"},
          Refusal{
              R"({"faults": [{"kind": "flipped_bit", "memory": "ddr", "tile": 0, "address": 0, "bit": 0, "cycle": 0}]})",
              "f: faults[0].tile: unknown key"},
          Refusal{R"({"faults": [{"kind": "narrow_accumulators", "tile": 0, "bits": 32}]})",
                  "f: faults[0].bits: 32 must be below 32"},
          Refusal{R"({"faults": [{"kind": "narrow_accumulators", "tile": 0, "bits": 0}]})",
                  "f: faults[0].bits: the width of an accumulator must be at least 1 bit"},
          Refusal{R"({"faults": [{"kind": "lost_signal", "tile": 0, "signal": 1}]})",
                  "f: faults[0].signal: the program of tile 0 has no signal with the number 1"},
          Refusal{R"({"faults": [{"kind": "delayed_transfer", "tile": 1, "transfer": 0, "cycles": 1}]})",
                  "f: faults[0].transfer: the program of tile 1 has no transfer with the number 0"},
          Refusal{
              R"({"faults": [{"kind": "wrong_destination", "tile": 0, "transfer": 0, "receiver": 0, "actual": 1}]})",
              "f: faults[0].receiver: transfer 0 of tile 0 sends no data to tile 0"},
          Refusal{
              R"({"faults": [{"kind": "wrong_destination", "tile": 0, "transfer": 0, "receiver": 1, "actual": 1}]})",
              "f: faults[0].actual: this tile must differ from 'receiver', the tile that the transfer would reach without "
              "the defect"},
      }) {
    const auto defects = parseDefects(refusal.json, "f", program());
    ASSERT_FALSE(defects) << refusal.json;
    EXPECT_EQ(defects.error().kind, ErrorKind::invalidInput);
    EXPECT_EQ(defects.error().message().rfind(refusal.message, 0), 0u)
        << defects.error().message() << "\nis not " << refusal.message;
  }
}

} // namespace
} // namespace tilerig
