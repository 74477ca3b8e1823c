// RUN: smp-compile %s -o %t.smp && smp-inspect %t.smp | FileCheck %s
// RUN: smp-compile %s -o %t.smp && wc -c <%t.smp | FileCheck %s --check-prefix=SIZE

// A constant of equal elements is one element in the program, and none beside
// the kernel that reads it.
// CHECK: constants{{ +}}0 B
// CHECK: constant{{ +}}f32[274877906944]
// CHECK: total{{ +}}[[#]]{{ +}}{{[0-9.]+}} KiB
// SIZE: {{^[0-9]{4,5}$}}
smp.entry @predict(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"}) {
  %c = smp.constant dense<1.0> : tensor<274877906944xf32>
  %sum = smp.reduce sum %c {dimensions = array<i64: 0>} : (tensor<274877906944xf32>) -> tensor<f32>
  %y = smp.add %x, %sum : tensor<f32>
  smp.return %y : tensor<f32>
}
