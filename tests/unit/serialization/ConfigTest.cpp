// SPDX-License-Identifier: Apache-2.0
// smp.json: defaults, where the keys may be, and the text of every error.

#include "smp/serialization/Config.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace smp;

namespace {

Config read(const std::string &text) {
  StatusOr<Config> config = readConfig(text);
  EXPECT_TRUE(config.ok()) << text << ": " << config.status().message();
  return config.ok() ? *config : Config();
}

std::string errorOf(const std::string &text) {
  StatusOr<Config> config = readConfig(text);
  EXPECT_FALSE(config.ok()) << text;
  return config.status().message();
}

/// The error of {"partitions": 2, <more>}.
std::string errorWith(const std::string &more) {
  return errorOf(R"({"partitions": 2, )" + more + "}");
}

TEST(Config, HasItsDefaults) {
  Config config = read(R"({"partitions": 2})");
  EXPECT_EQ(config.partitions, 2);
  EXPECT_EQ(config.microbatches, 1);
  EXPECT_EQ(config.pipeline, PipelineKind::Interleaved);
  EXPECT_EQ(config.activeMicrobatches, std::nullopt);
  EXPECT_EQ(config.optimize, std::nullopt);
  EXPECT_EQ(config.memoryWeight, std::nullopt);
  EXPECT_EQ(config.effectiveMemoryWeight(), 0);
  EXPECT_TRUE(config.autoPartition);
  EXPECT_EQ(config.defaultPartition, std::nullopt);
  EXPECT_TRUE(config.contiguous);
  EXPECT_FALSE(config.keepPins);
  EXPECT_FALSE(config.loadPartition);
  EXPECT_EQ(config.partitionFile, "");
}

TEST(Config, ReadsEveryPipeline) {
  for (PipelineKind kind :
       {PipelineKind::Interleaved, PipelineKind::Simple,
        PipelineKind::OnlyForward, PipelineKind::ZeroBubbleH1,
        PipelineKind::ZeroBubbleH2, PipelineKind::ZeroBubbleV})
    EXPECT_EQ(read(R"({"partitions": 2, "pipeline": ")" +
                   std::string(toString(kind)) + "\"}")
                  .pipeline,
              kind);
}

TEST(Config, ReadsEveryWorkingKey) {
  Config config = read(R"({
    "partitions": 4, "pipeline_parallel_degree": 4, "microbatches": 8,
    "active_microbatches": 3, "pipeline": "_only_forward", "optimize": "memory", "memory_weight": 0.5,
    "placement_strategy": "spread", "auto_partition": false,
    "default_partition": 3, "contiguous": false, "deterministic_server": true,
    "keep_pins": true,
    "load_partition": true, "partition_file": "p.json", "skip_tracing": true,
    "memory_limit": 5000000000, "ddp": false, "ddp_port": 1234, "ddp_dist_backend": "auto"})");
  EXPECT_EQ(config.partitions, 4);
  EXPECT_EQ(config.microbatches, 8);
  EXPECT_EQ(config.activeMicrobatches, 3);
  EXPECT_EQ(config.pipeline, PipelineKind::OnlyForward);
  EXPECT_EQ(config.optimize, Optimize::Memory);
  EXPECT_EQ(config.effectiveMemoryWeight(), 0.5);
  EXPECT_FALSE(config.autoPartition);
  EXPECT_EQ(config.defaultPartition, 3);
  EXPECT_FALSE(config.contiguous);
  EXPECT_TRUE(config.keepPins);
  EXPECT_TRUE(config.loadPartition);
  EXPECT_EQ(config.partitionFile, "p.json");
  EXPECT_EQ(config.memoryLimit, 5'000'000'000);
  EXPECT_EQ(read(R"({"pipeline_parallel_degree": 3})").partitions, 3);
  EXPECT_EQ(
      read(R"({"partitions": 2, "placement_strategy": "TPD"})").partitions, 2);
}

TEST(Config, WeighsMemoryByWhatIsOptimized) {
  EXPECT_EQ(
      read(R"({"partitions": 2, "optimize": "speed"})").effectiveMemoryWeight(),
      0.2);
  EXPECT_EQ(read(R"({"partitions": 2, "optimize": "memory"})")
                .effectiveMemoryWeight(),
            0.8);
}

TEST(Config, TakesKeysFromWhereTheSdkPutsThem) {
  EXPECT_EQ(read(R"({"smdistributed": {"modelparallel": {"enabled": true,
                 "parameters": {"partitions": 5}}}})")
                .partitions,
            5);
}

class ConfigFile : public testing::Test {
protected:
  ConfigFile()
      : folder(std::filesystem::temp_directory_path() /
               ("smp-config-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder);
  }
  ~ConfigFile() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string &name, const std::string &text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  std::filesystem::path folder;
};

TEST_F(ConfigFile, IsReadByItsPath) {
  EXPECT_EQ(read(write("smp.json", R"( {"partitions": 6})")).partitions, 6);
}

TEST_F(ConfigFile, MayNameAnother) {
  write("parameters.json", R"({"partitions": 7})");
  std::string outer = write("outer.json", R"({"smdistributed": {"modelparallel":
      {"enabled": true, "parameters": "parameters.json"}}})");
  EXPECT_EQ(read(outer).partitions, 7);
}

TEST_F(ConfigFile, FailsByName) {
  EXPECT_EQ(errorOf("/no/such/smp.json"),
            "Expected a string path to an existing modelparallel config, or a "
            "dictionary. Received: /no/such/smp.json.");
  EXPECT_EQ(errorOf(folder.string()),
            "Expected a string path to an existing modelparallel config, or a "
            "dictionary. Received: " +
                folder.string() + ".");
  std::string bad = write("bad.json", R"({"partitions": )");
  EXPECT_EQ(errorOf(bad), "Cannot parse " + bad + " as a json file.");
  EXPECT_EQ(errorOf(write("list.json", "[2]")),
            "Expected a string path to an existing modelparallel config, or a "
            "dictionary. Received: [2].");
}

TEST(Config, RefusesWhatIsNoConfiguration) {
  EXPECT_EQ(errorOf("{"), "Cannot parse the configuration as a json file.");
  EXPECT_EQ(
      errorOf(R"({"smdistributed": {"modelparallel": {"parameters": 3}}})"),
      "Expected a string path to an existing modelparallel config, or a "
      "dictionary. Received: 3.");
  EXPECT_EQ(errorOf(R"({"smdistributed": 1})"),
            "Expected a string path to an existing modelparallel config, or a "
            "dictionary. Received: 1.");
  EXPECT_EQ(errorOf(R"({"smdistributed": {}})"),
            "'smdistributed' has no 'modelparallel'");
  EXPECT_EQ(errorOf(R"({"smdistributed": {"modelparallel": {"enabled": false,
                 "parameters": {"partitions": 2}}}})"),
            "'enabled' in 'modelparallel' is false, so that nothing would be "
            "partitioned; set it to true or leave the configuration out");
  EXPECT_EQ(errorOf(R"({"mpi": {}, "smdistributed": {}})"),
            "'mpi' beside 'smdistributed' in the configuration is not for smp; "
            "remove it");
}

TEST(Config, IsBoundedInSizeAndDepth) {
  std::string deep = R"({"partitions": )" + std::string(100, '[') +
                     std::string(100, ']') + "}";
  EXPECT_EQ(errorOf(deep), "'the configuration' is nested deeper than 32");
  EXPECT_EQ(
      errorOf("{" + std::string(2 << 20, ' ') + "}"),
      "'the configuration' has 2097154 bytes; a configuration has at most "
      "1048576");
}

struct BadKey {
  const char *keys;
  const char *error;
};

/// Errors that were promised word for word, in the order of their checks.
constexpr BadKey kPromised[] = {
    {R"("pipeline": "fast")",
     "pipeline must be a value in: ['simple', 'interleaved', "
     "'_only_forward', 'zb-h1', 'zb-h2', 'zb-v']."},
    {R"("placement_strategy": "DPP")",
     "placement_strategy must be a value in: ['spread', 'cluster']."},
    {R"("optimize": 1)", "optimize must be a value in: ['speed', 'memory']."},
    {R"("microbatches": 0)",
     "The number of microbatches must be a positive integer."},
    {R"("microbatches": 1.5)",
     "The number of microbatches must be a positive integer."},
    {R"("microbatches": "4")",
     "The number of microbatches must be a positive integer."},
    {R"("active_microbatches": 0)",
     "The number of active_microbatches must be a positive integer."},
    {R"("active_microbatches": 1.5)",
     "The number of active_microbatches must be a positive integer."},
    {R"("active_microbatches": -1)",
     "The number of active_microbatches must be a positive integer."},
    {R"("memory_limit": 0)",
     "memory_limit is 0; it must be a number of bytes, at least 1"},
    {R"("memory_limit": "1 GB")",
     "memory_limit is \"1 GB\"; it must be a number of bytes, at least 1"},
    {R"("auto_partition": "yes")",
     "auto_partition must be a value in: [True, False]."},
    {R"("contiguous": 2)", "contiguous must be a value in: [True, False]."},
    {R"("keep_pins": 1)", "keep_pins must be a value in: [True, False]."},
    {R"("load_partition": null)",
     "load_partition must be a value in: [True, False]."},
    {R"("horovod": 3)", "horovod must be a value in: [True, False]."},
    {R"("ddp": "on")", "ddp must be a value in: [True, False]."},
    {R"("deterministic_server": [])",
     "deterministic_server must be a value in: [True, False]."},
    {R"("partition_file": 5)", "'partition_file' must be a str."},
    {R"("auto_partition": false)",
     "default_partition must be supplied if auto_partition is set to False!"},
    {R"("default_partition": 2)",
     "default_partition must be less than the number of partitions!"},
    {R"("memory_weight": 1.1)", "memory_weight must be between 0.0 and 1.0!"},
    {R"("memory_weight": -0.1)", "memory_weight must be between 0.0 and 1.0!"},
    {R"("ddp_port": 1234)", "`ddp_port` needs `ddp` to be set as well"},
    {R"("ddp_dist_backend": "nccl")",
     "`ddp_dist_backend` needs `ddp` to be set as well"},
    {R"("ddp": false, "ddp_port": -1)", "Invalid port number -1."},
    {R"("ddp": true, "ddp_port": "a")", "Invalid port number \"a\"."},
    {R"("ddp": true, "horovod": true)",
     "'ddp' and 'horovod' cannot be simultaneously enabled."},
};

TEST(Config, KeepsThePromisedErrors) {
  EXPECT_EQ(errorOf("{}"), "'partitions' is a required parameter.");
  EXPECT_EQ(errorOf(R"({"microbatches": 0})"),
            "'partitions' is a required parameter.");
  for (const char *count :
       {"0", "-1", "2.0", "\"2\"", "true", "1e30", "18446744073709551615"})
    EXPECT_EQ(errorOf(std::string(R"({"partitions": )") + count + "}"),
              "The number of partitions must be a positive integer.");
  for (const BadKey &bad : kPromised)
    EXPECT_EQ(errorWith(bad.keys), bad.error) << bad.keys;
}

TEST(Config, BoundsCounts) {
  Config most = read(R"({"partitions": 4096, "microbatches": 65536,
                         "active_microbatches": 65536})");
  EXPECT_EQ(most.partitions, 4096);
  EXPECT_EQ(most.microbatches, 65536);
  EXPECT_EQ(most.activeMicrobatches, 65536);
  EXPECT_EQ(errorOf(R"({"partitions": 4097})"),
            "partitions is 4097; it must be at most 4096");
  EXPECT_EQ(errorOf(R"({"partitions": 4294967297})"),
            "partitions is 4294967297; it must be at most 4096");
  EXPECT_EQ(errorOf(R"({"pipeline_parallel_degree": 4294967297})"),
            "partitions is 4294967297; it must be at most 4096");
  EXPECT_EQ(errorWith(R"("microbatches": 65537)"),
            "microbatches is 65537; it must be at most 65536");
  EXPECT_EQ(errorWith(R"("active_microbatches": 4294967297)"),
            "active_microbatches is 4294967297; it must be at most 65536");
}

TEST(Config, RefusesKeysThatAreGivenTwice) {
  EXPECT_EQ(errorOf(R"({"partitions": 2, "partitions": 2})"),
            "'partitions' is given twice in the configuration; leave one of "
            "them out");
  EXPECT_EQ(errorOf(R"({"smdistributed": {"modelparallel": {"parameters":
                        {"partitions": 2, "contiguous": true,
                         "contiguous": false}}}})"),
            "'contiguous' is given twice in the configuration; leave one of "
            "them out");
  // In one object: 'enabled' may be on two levels.
  EXPECT_EQ(read(R"({"smdistributed": {"enabled": true, "modelparallel":
                     {"enabled": true, "parameters": {"partitions": 2}}}})")
                .partitions,
            2);
}

TEST(Config, NamesUnknownKeys) {
  EXPECT_EQ(errorWith(R"("xla": true)"),
            "'xla' is no key of the configuration; see "
            "docs/rationale/configuration.md for those that are");
  EXPECT_EQ(errorOf(R"({"partition": 2})").find("'partition' is no key"), 0u);
}

TEST(Config, NamesWhatDoesNotWorkYet) {
  EXPECT_EQ(errorWith(R"("ddp": true)"),
            "'ddp' is true, which does not work yet: there is one replica of a "
            "model; leave it out or set it to false");
  for (const char *key :
       {R"("horovod": true)", R"("offload_activations": true)",
        R"("activation_loading_horizon": 2)", R"("tensor_parallel_degree": 2)",
        R"("shard_optimizer_state": true)", R"("prescaled_batch": true)",
        R"("fp16": true)", R"("fp16_params": true)",
        R"("sharded_data_parallel_degree": 2)",
        R"("sdp_reduce_bucket_size": 1)",
        R"("sdp_param_persistence_threshold": 1)",
        R"("sdp_max_live_parameters": 1)",
        R"("sdp_hierarchical_allgather": false)",
        R"("sdp_gradient_clipping": 0.5)"})
    EXPECT_NE(errorWith(key).find("does not work yet"), std::string::npos)
        << key;
}

TEST(Config, TakesWhatAsksForNothing) {
  read(
      R"({"partitions": 2, "horovod": false, "ddp": false, "offload_activations": false, "activation_loading_horizon": 4,
    "tensor_parallel_degree": 1, "shard_optimizer_state": false,
    "prescaled_batch": false, "fp16": false, "fp16_params": false,
    "sharded_data_parallel_degree": 1, "sdp_reduce_bucket_size": 500000000,
    "sdp_param_persistence_threshold": 1000000, "sdp_max_live_parameters": 1e9,
    "sdp_hierarchical_allgather": true, "sdp_gradient_clipping": 1})");
}

TEST(Config, SaysWhatIsWrongWithTheRest) {
  EXPECT_EQ(errorWith(R"("pipeline_parallel_degree": 4)"),
            "'partitions' is 2 but 'pipeline_parallel_degree' is 4; both mean "
            "the number of partitions, give one of them");
  EXPECT_EQ(errorWith(R"("default_partition": -1)"),
            "default_partition is -1; it must be 0 or more");
  EXPECT_EQ(errorWith(R"("default_partition": "0")"),
            "default_partition is \"0\"; it must be an integer");
  EXPECT_EQ(errorWith(R"("load_partition": true)"),
            "load_partition needs `partition_file` to be set as well");
}

} // namespace
