// Splits a dataset into training rows and rows that are held out for calibration and evaluation.
//
// Held-out rows are never trained on. Rows are held out by their family of network architectures and, by
// option, by precision, machine, number of tiles and site of the bug (the wrong part of compiler, program or
// machine). A row that is held out for several reasons is assigned to the reason that comes first in the
// enumeration `Part`. Of the remaining networks, a hash selects some whose rows are all held out: rows of one
// network are so similar that a network must not be in both training and evaluation.
#pragma once

#include "classifier/Data/Rows.h"
#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/StrictJson.h"
#include "isa/Instructions/Field.h"
#include "verify/Evidence/Sample.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilerig::classifier {

enum class Part : uint8_t {
  // rows with held-out bugs, to fit the score that detects unknown bugs (Training/Calibrate.h)
  unknownTuning,
  unknownJudging, // rows with other held-out bugs, to evaluate the detection of unknown bugs
  unseenPrecision,
  unseenMachine,
  unseenTiles,
  unseenSite,
  unseenFamily,
  calibration, // rows to which the temperature of the probabilities is fitted; not trained on, not evaluated
  seen,        // rows for evaluation, of families that are trained on but of other networks
  training,
};
inline constexpr size_t numParts = 10;
std::string_view nameOf(Part part);

class Split {
public:
  // Parses options of the form "family" or "field=value". Fields: family (of networks), calibration (also a
  // family), precision, machine, tiles (their number), site (where the bug was injected: the wrong part of
  // compiler, program or machine), unknown_tuning and unknown (ids of bugs).
  static Result<Split> of(const std::vector<std::string> &heldOut);
  static Result<Split> fromJson(const JsonPlace &object);

  // Refuses a held-out value that occurs in no row of the dataset, because it is probably misspelt.
  Status checkNames(const Rows &rows) const;

  Part partOf(const verify::Origin &origin) const;
  Json asJson() const;

private:
  std::map<Part, std::set<std::string>> heldOut;
};

// The default of the option --held-out, in the form that Split::of() parses.
std::vector<std::string> usualSplit();

} // namespace tilerig::classifier
