#include "emulator/Defects/DefectFile.h"

#include "emulator/Defects/CheckDefects.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/StrictJson.h"

namespace tilerig::emulator {

namespace {

// Reads one entry of the list of faults in a fault file.
class Entry {
public:
  explicit Entry(JsonPlace entry) : entry(std::move(entry)) {}

  Status read(Defects &defects, const Program &program) {
    TILERIG_CHECK_OK(entry.expectObject());
    TILERIG_TRY(const size_t index, entry.at("kind").indexIn(kinds));
    const std::string_view kind = kinds[index];
    if (kind == "stuck_bit") {
      TILERIG_CHECK_OK(entry.expectObject({"kind", "tile", "position", "output", "bit", "value"}));
      StuckBit stuck;
      TILERIG_CHECK_OK(readLane(stuck.lane));
      TILERIG_CHECK_OK(number("bit", stuck.bit));
      TILERIG_TRY(const int value, entry.at("value").wholeNumber(0, 1));
      stuck.value = value == 1;
      return add(stuck, defects.stuckBits, program);
    }
    if (kind == "dead_lane") {
      TILERIG_CHECK_OK(entry.expectObject({"kind", "tile", "position", "output"}));
      Lane lane;
      TILERIG_CHECK_OK(readLane(lane));
      return add(lane, defects.deadLanes, program);
    }
    if (kind == "narrow_accumulators") {
      TILERIG_CHECK_OK(entry.expectObject({"kind", "tile", "bits"}));
      NarrowAccumulators narrow;
      TILERIG_CHECK_OK(number("tile", narrow.tile));
      TILERIG_CHECK_OK(number("bits", narrow.bits));
      return add(narrow, defects.narrowAccumulators, program);
    }
    if (kind == "dead_tile") {
      TILERIG_CHECK_OK(entry.expectObject({"kind", "tile"}));
      uint32_t tile = 0;
      TILERIG_CHECK_OK(number("tile", tile));
      if (const auto problem = checkTile(tile, program))
        return refusal(*problem);
      defects.deadTiles |= uint64_t{1} << tile;
      return success();
    }
    if (kind == "flipped_bit")
      return readFlip(defects, program);
    if (kind == "lost_signal") {
      TILERIG_CHECK_OK(entry.expectObject({"kind", "tile", "signal"}));
      LostSignal lost;
      TILERIG_CHECK_OK(number("tile", lost.tile));
      TILERIG_CHECK_OK(number("signal", lost.signal));
      return add(lost, defects.lostSignals, program);
    }
    if (kind == "delayed_transfer") {
      TILERIG_CHECK_OK(entry.expectObject({"kind", "tile", "transfer", "cycles"}));
      DelayedTransfer delayed;
      uint32_t cycles = 0;
      TILERIG_CHECK_OK(number("tile", delayed.tile));
      TILERIG_CHECK_OK(number("transfer", delayed.transfer));
      TILERIG_CHECK_OK(number("cycles", cycles));
      delayed.cycles = cycles;
      return add(delayed, defects.delayedTransfers, program);
    }
    TILERIG_CHECK_OK(entry.expectObject({"kind", "tile", "transfer", "receiver", "actual"}));
    WrongDestination wrong;
    TILERIG_CHECK_OK(number("tile", wrong.tile));
    TILERIG_CHECK_OK(number("transfer", wrong.transfer));
    TILERIG_CHECK_OK(number("receiver", wrong.receiver));
    TILERIG_CHECK_OK(number("actual", wrong.actual));
    return add(wrong, defects.wrongDestinations, program);
  }

private:
  static constexpr std::array<std::string_view, 8> kinds = {
      "stuck_bit",   "dead_lane",   "narrow_accumulators", "dead_tile",
      "flipped_bit", "lost_signal", "delayed_transfer",    "wrong_destination"};

  Status readFlip(Defects &defects, const Program &program) {
    FlippedBit flip;
    TILERIG_TRY(const size_t memory,
                entry.at("memory").indexIn(std::array<std::string_view, 2>{"ocm", "ddr"}));
    flip.inDdr = memory == 1;
    if (flip.inDdr) {
      TILERIG_CHECK_OK(entry.expectObject({"kind", "memory", "address", "bit", "cycle"}));
    } else {
      TILERIG_CHECK_OK(entry.expectObject({"kind", "memory", "tile", "address", "bit", "cycle"}));
      TILERIG_CHECK_OK(number("tile", flip.tile));
    }
    TILERIG_CHECK_OK(number("address", flip.address));
    TILERIG_CHECK_OK(number("bit", flip.bit));
    TILERIG_CHECK_OK(number("cycle", flip.cycle));
    return add(flip, defects.flippedBits, program);
  }

  Status readLane(Lane &lane) {
    TILERIG_CHECK_OK(number("tile", lane.tile));
    TILERIG_CHECK_OK(number("position", lane.position));
    return number("output", lane.output);
  }

  template <class T>
  Status add(const T &defect, std::vector<T> &list, const Program &program) {
    if (const auto problem = check(defect, program))
      return refusal(*problem);
    list.push_back(defect);
    return success();
  }

  template <class T>
  Status number(const char *key, T &value) const {
    TILERIG_TRY(value, entry.at(key).wholeNumber<T>(0, std::numeric_limits<T>::max() / 2));
    return success();
  }

  Error refusal(const FieldProblem &problem) const { return entry.at(problem.field).refuse(problem.reason); }

  JsonPlace entry;
};

} // namespace

Result<Defects> parseDefects(const std::string &json, const std::string &place, const Program &program) {
  TILERIG_TRY(const Json document, parseStrictJson(json, place));
  const JsonPlace file{&document, place}, faults = file.at("faults");
  TILERIG_CHECK_OK(file.expectObject({"faults"}));
  TILERIG_CHECK_OK(faults.expectList());
  Defects defects;
  for (size_t i = 0; i < faults.value->size(); ++i)
    TILERIG_CHECK_OK(Entry(faults.at(i)).read(defects, program));
  return defects;
}

Result<Defects> readDefects(const std::string &path, const Program &program) {
  TILERIG_TRY(const std::string text, readText(path));
  return parseDefects(text, path, program);
}

} // namespace tilerig::emulator
