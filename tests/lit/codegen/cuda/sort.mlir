// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Elements become records, an integer of their order above their number; slots
// beyond a line get records behind all others.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<12xf32, 1>
// CHECK: %[[SLOTS:.*]] = memref.get_global @k0_sm_80_shared0 : memref<16xi64, 3>
// CHECK: %[[MINE:.*]] = memref.load %[[X]]
// CHECK: arith.bitcast %[[MINE]] : f32 to i32
// CHECK: arith.cmpf oeq, %[[MINE]], %cst : f32
// CHECK: arith.cmpf uno, %[[MINE]], %[[MINE]] : f32
// CHECK: arith.ori %{{.*}}, %c-4294967296_i64 : i64
// CHECK: nvvm.barrier0
// Neighbouring runs are merged by ranks; of what becomes of two, as many
// records are left as are wanted.
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK: scf.if
// CHECK: %[[OWN:.*]] = memref.load %[[SLOTS]]
// CHECK: scf.for
// CHECK: %[[OTHER:.*]] = memref.load %[[SLOTS]]
// CHECK: arith.cmpi ult, %[[OTHER]], %[[OWN]] : i64
// CHECK: nvvm.barrier0
// CHECK: memref.store %{{.*}}, %[[SLOTS]]
// CHECK: nvvm.barrier0
// Values are read again where numbers say.
// CHECK: %[[RECORD:.*]] = memref.load %[[SLOTS]]
// CHECK: %[[LOW:.*]] = arith.trunci %[[RECORD]] : i64 to i32
// CHECK: memref.load %[[X]]
// CHECK: memref.store %{{.*}} : memref<6xf32, 1>
// CHECK: memref.store %{{.*}} : memref<6xi64, 1>
smp.entry @block(%x: tensor<3x4xf32> {smp.name = "x"}) -> (tensor<3x2xf32> {smp.name = "v"}, tensor<3x2xi64> {smp.name = "i"}) {
  %y:2 = smp.top_k %x {axis = 1 : i64, k = 2 : i64, largest = true} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  smp.return %y#0, %y#1 : tensor<3x2xf32>, tensor<3x2xi64>
}

// Three blocks sort, then runs are merged in turn, a block per 2048 records of
// what becomes of two: it finds out where in them its own are.
// CHECK-LABEL: func.func @k1_sm_80(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<5000xi64, 1> {{.*}}, %{{[a-z0-9]+}}: memref<6144xi64, 1> {{.*}}, %{{[a-z0-9]+}}: memref<6144xi32, 1>
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK-LABEL: func.func @k2_sm_80(
// CHECK-SAME: %[[KEYS:[a-z0-9]+]]: memref<6144xi64, 1> {{.*}}, %{{[a-z0-9]+}}: memref<6144xi32, 1> {{.*}}, %{{[a-z0-9]+}}: memref<6144xi64, 1> {{.*}}, %{{[a-z0-9]+}}: memref<6144xi32, 1>
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK: scf.for
// CHECK: memref.load %[[KEYS]]
// CHECK: nvvm.barrier0
// CHECK-LABEL: func.func @k3_sm_80(
// CHECK-SAME: memref<5000xi64, 1> {{.*}}memref<6144xi64, 1> {{.*}}memref<6144xi32, 1> {{.*}}memref<5000xi64, 1> {{.*}}memref<5000xi64, 1>
smp.entry @merges(%x: tensor<5000xi64> {smp.name = "x"}) -> (tensor<5000xi64> {smp.name = "v"}, tensor<5000xi64> {smp.name = "i"}) {
  %y:2 = smp.top_k %x {axis = 0 : i64, k = 5000 : i64, largest = false} : (tensor<5000xi64>) -> (tensor<5000xi64>, tensor<5000xi64>)
  smp.return %y#0, %y#1 : tensor<5000xi64>, tensor<5000xi64>
}

// Where few are wanted, three blocks give theirs to one.
// CHECK-LABEL: func.func @k4_sm_80(
// CHECK-SAME: memref<5000xf32, 1> {{.*}}memref<24xi64, 1>
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK-LABEL: func.func @k5_sm_80(
// CHECK-SAME: memref<5000xf32, 1> {{.*}}memref<24xi64, 1> {{.*}}memref<5xf32, 1> {{.*}}memref<5xi64, 1>
// CHECK-SAME: smp.grid = array<i64: 1, 1, 1>
// CHECK-NOT: func.func
smp.entry @selection(%x: tensor<5000xf32> {smp.name = "x"}) -> (tensor<5xf32> {smp.name = "v"}, tensor<5xi64> {smp.name = "i"}) {
  %y:2 = smp.top_k %x {axis = 0 : i64, k = 5 : i64, largest = true} : (tensor<5000xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  smp.return %y#0, %y#1 : tensor<5xf32>, tensor<5xi64>
}
