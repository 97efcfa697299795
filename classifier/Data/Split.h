// Which rows a model learns from, and which it is judged on.
//
// What is held out is never trained on: families of architectures, and by choice precisions, machines,
// numbers of tiles and sites. A row that is held out for several reasons belongs to the first of the parts
// below, so that those of unseen families are known in every other respect. Of what is left, whole units of
// work are put aside by a hash: rows of one unit are of one network, and too much alike to be on both sides.
#pragma once

#include "classifier/Data/Rows.h"
#include "isa/Instructions/Field.h"
#include "isa/Support/Error.h"
#include "verify/Evidence/Sample.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilerig::classifier {

using Json = nlohmann::ordered_json;

enum class Part : uint8_t {
  unknownTuning,  // bugs kept out: those by which the score of the unknown is chosen
  unknownJudging, // and those by which it is judged
  unseenPrecision,
  unseenMachine,
  unseenTiles,
  unseenSite,
  unseenFamily,
  calibration, // families that set the temperature, and are neither trained on nor judged
  seen,        // as what was trained on, but other units
  training,
};
inline constexpr size_t numParts = 10;
std::string_view nameOf(Part part);

class Split {
public:
  // Families, and "field=value": family, calibration, precision, machine, tiles, site, unknown_tuning,
  // unknown.
  static Result<Split> of(const std::vector<std::string> &heldOut);
  static Result<Split> fromJson(const Json &json, const std::string &place);

  // Refuses a name that no row has: a slip would put what it means into training.
  Status checkNames(const Rows &rows) const;

  Part partOf(const verify::Origin &origin) const;
  Json asJson() const;

private:
  std::map<Part, std::set<std::string>> heldOut;
};

// What is held out where nobody says otherwise.
std::vector<std::string> usualSplit();

} // namespace tilerig::classifier
