using 'main.bicep'
extends 'base.bicepparam'

var parts = ['a', 'b']

param name = toUpper(join(parts, '-'))
param tags = {
  region: base.region
  list: map(parts, part => '${part}!')
  input: readEnvironmentVariable('NOT_READ', 'default')
}
param password = az.getSecret('sub', 'group', 'vault', 'secret')
