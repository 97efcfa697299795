// Splits a dataset into training rows and held-out rows for calibration and evaluation.
//
// Held-out rows are never trained on: families of architectures and, by option, precisions, machines, numbers
// of tiles and sites. A row that is held out for several reasons belongs to the first of the parts below, so
// the rows of `unseenFamily` are new to the model only in their family. Of the rest, whole units of work are
// held out by a hash, because rows of one unit come from the same network and are too similar to be on both
// sides.
#pragma once

#include "classifier/Data/Rows.h"
#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/Json.h"
#include "isa/Instructions/Field.h"
#include "verify/Evidence/Sample.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilerig::classifier {

using Json = nlohmann::ordered_json;

enum class Part : uint8_t {
  unknownTuning,  // held-out bugs, for choosing the score that detects unknown bugs (Training/Calibrate.h)
  unknownJudging, // other held-out bugs, for evaluating that score
  unseenPrecision,
  unseenMachine,
  unseenTiles,
  unseenSite,
  unseenFamily,
  calibration, // families that set the temperature; neither trained on nor evaluated
  seen,        // same families as in training, but other units of work
  training,
};
inline constexpr size_t numParts = 10;
std::string_view nameOf(Part part);

class Split {
public:
  // Parses options: names of families, or "field=value" with the fields family, calibration, precision,
  // machine, tiles, site, unknown_tuning and unknown.
  static Result<Split> of(const std::vector<std::string> &heldOut);
  static Result<Split> fromJson(const Json &json, const std::string &place);

  // Refuses a name that no row has: with a misspelt name the intended rows would be trained on.
  Status checkNames(const Rows &rows) const;

  Part partOf(const verify::Origin &origin) const;
  Json asJson() const;

private:
  std::map<Part, std::set<std::string>> heldOut;
};

// What is held out by default, in the form of the options that Split::of() parses.
std::vector<std::string> usualSplit();

} // namespace tilerig::classifier
