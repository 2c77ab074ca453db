//===- OptionWords.cpp - What is wrong with the words of a command line ---===//

#include "OptionWords.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tapestry::driver;

static cl::SubCommand *commandNamed(StringRef name) {
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (!name.empty() && command->getName() == name)
      return command;
  return nullptr;
}

std::string tapestry::driver::dashed(StringRef option) {
  return (option.size() == 1 ? "-" : "--") + option.str();
}

/// Whose option it is, or which one may be meant.
static std::string unknownOption(StringRef word, StringRef commandName) {
  // The other commands take a program.
  if (!word.starts_with("-"))
    return (commandName + " takes no program, and '" + word +
            "' is no option of it")
        .str();
  StringRef name = word.ltrim('-').split('=').first;
  SmallVector<StringRef> own, owners;
  for (cl::SubCommand *command : cl::getRegisteredSubcommands()) {
    auto &options = cl::getRegisteredOptions(*command);
    if (command->getName() == commandName)
      for (auto &option : options)
        own.push_back(option.first);
    else if (!command->getName().empty() && options.count(name))
      owners.push_back(command->getName());
  }
  llvm::sort(own);
  llvm::sort(owners);
  if (!owners.empty() && !commandName.empty())
    return (commandName + " takes no " + dashed(name) + ", but " +
            llvm::join(owners, " and ") +
            (owners.size() == 1 ? " does" : " do"))
        .str();
  StringRef nearest = tapestry::ein::nearestWord(name, own);
  std::string result = ("unknown option '" + word + "'").str();
  if (!nearest.empty())
    return result + "; did you mean '" + dashed(nearest) + "'?";
  return result + "; 'tapestry " +
         (commandName.empty() ? "" : commandName.str() + " ") +
         "--help' lists those that there are";
}

/// LLVM reads a word that is no option as a group of letters, and complains by
/// itself of one inside it that needs a value.
static bool isGroupWithValue(cl::SubCommand &command, StringRef name) {
  auto &options = cl::getRegisteredOptions(command);
  for (; name.size() > 1; name = name.drop_front()) {
    auto letter = options.find(name.take_front());
    if (letter == options.end() ||
        letter->second->getFormattingFlag() == cl::Prefix)
      return false;
    if (letter->second->getValueExpectedFlag() == cl::ValueRequired)
      return true;
  }
  return false;
}

std::string tapestry::driver::valueProblem(int argc, char **argv) {
  cl::SubCommand *command = argc < 3 ? nullptr : commandNamed(argv[1]);
  if (!command)
    return "";
  auto &options = cl::getRegisteredOptions(*command);
  for (int i = 2; i < argc; ++i) {
    auto [option, value] = StringRef(argv[i]).split('=');
    bool isJoined = StringRef(argv[i]).contains('=');
    StringRef name = option;
    if (!name.consume_front("-"))
      continue;
    name.consume_front("-");
    auto known = options.find(name);
    if (known == options.end() && isGroupWithValue(*command, name))
      return unknownOption(argv[i], argv[1]);
    if (known == options.end())
      continue;
    // None stands for one value; an option of several gives their number.
    int count = std::max(1u, known->second->getNumAdditionalVals());
    bool isNeeded = known->second->getValueExpectedFlag() == cl::ValueRequired;
    if (isJoined &&
        known->second->getValueExpectedFlag() == cl::ValueDisallowed)
      return (option + " takes no value").str();
    if (isJoined)
      --count;
    else if (!isNeeded)
      continue;
    for (; count > 0; --count) {
      value = ++i == argc ? "" : argv[i];
      if (value.empty() || value.starts_with("--"))
        break;
    }
    if (value.empty() && isNeeded)
      return (option + " needs a value").str();
    if (value.starts_with("--"))
      return (option + " needs a value, and '" + value +
              "' begins like an option (for a file: ./" + value + ")")
          .str();
  }
  return "";
}

std::string tapestry::driver::wordProblem(StringRef said, int argc,
                                          char **argv) {
  StringRef first = said.split('\n').first;
  first.consume_front(sys::path::filename(argv[0]));
  first.consume_front(": ");
  cl::SubCommand *command = argc < 2 ? nullptr : commandNamed(argv[1]);
  StringRef commandName = command ? command->getName() : "";
  if (first.consume_front("Unknown command line argument "))
    return unknownOption(first.split('\'').second.split('\'').first,
                         commandName);
  if (first.starts_with("Unknown subcommand")) {
    SmallVector<StringRef> names;
    for (cl::SubCommand *known : cl::getRegisteredSubcommands())
      if (!known->getName().empty())
        names.push_back(known->getName());
    llvm::sort(names);
    StringRef nearest = tapestry::ein::nearestWord(argv[1], names);
    return ("there is no command '" + Twine(argv[1]) + "'; " +
            (nearest.empty() ? "there are: " + llvm::join(names, ", ")
                             : "did you mean '" + nearest.str() + "'?"))
        .str();
  }
  if (first.starts_with("Too many positional"))
    return argc > 1 && StringRef(argv[1]) == "session"
               ? "a session takes its commands from one file"
               : "a command takes one program";
  return first.str();
}
