// SPDX-License-Identifier: Apache-2.0
// Options on LLVM's command line that are one of several words.

#ifndef SMP_TOOLS_CHOICEPARSER_H
#define SMP_TOOLS_CHOICEPARSER_H

#include "smp/base/Lists.h"
#include "llvm/Support/CommandLine.h"

namespace smp {

/// Tells of a word that is none of them which there are: the parser of a
/// ChoiceOption.
template <typename Kind>
class ChoiceParser : public llvm::cl::parser<Kind> {
public:
  using llvm::cl::parser<Kind>::parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef name,
             llvm::StringRef word, Kind &value) {
    std::vector<std::string> words;
    for (unsigned i = 0; i < this->getNumOptions(); ++i)
      words.push_back(this->getOption(i).str());
    if (llvm::is_contained(words, word))
      return llvm::cl::parser<Kind>::parse(option, name, word, value);
    return option.error("'" + word + "' is not known; it must be " +
                        listChoices(words));
  }
};

template <typename Kind>
using ChoiceOption =
    llvm::cl::opt<Kind, /*ExternalStorage=*/false, ChoiceParser<Kind>>;

} // namespace smp

#endif // SMP_TOOLS_CHOICEPARSER_H
