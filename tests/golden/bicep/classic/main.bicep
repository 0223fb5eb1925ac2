// A template without symbolic names: resources are an array, and references are resource IDs.
metadata owner = 'platform'

@description('The name of the account.')
@minLength(3)
@maxLength(24)
param name string

@allowed(['Standard_LRS', 'Standard_GRS'])
param sku string = 'Standard_LRS'

@secure()
param password string

param location string = resourceGroup().location
param containers array = ['logs', 'data']

var prefix = '${name}-x'
var key = account.listKeys().keys[0].value
var big = 4294967296
var escaped = '[not a formula]'
var braces = 'a{b}${name}'
var lines = '''
one ${kept}
'''
var doubled = [for (item, i) in containers: '${item}${i}']

resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: name
  location: location
  sku: { name: sku }
  kind: 'StorageV2'
  properties: {
    copy: 'kept'
    allowBlobPublicAccess: false
    minimumTlsVersion: sku == 'Standard_LRS' ? 'TLS1_2' : null
    networkAcls: {
      defaultAction: 'Deny'
      ipRules: [for rule in containers: { value: rule }]
    }
  }

  resource blobs 'blobServices' = {
    name: 'default'

    resource items 'containers' = [for (item, index) in containers: if (index > 0) {
      name: '${prefix}-${item}'
    }]
  }
}

resource vault 'Microsoft.KeyVault/vaults@2023-07-01' existing = {
  name: 'vault-${name}'
  scope: resourceGroup('shared')
}

@batchSize(2)
resource sites 'Microsoft.Web/sites@2023-12-01' = [for (item, i) in containers: {
  name: '${item}-${i}'
  location: location
  tags: { secret: password }
  properties: {
    serverFarmId: vault.id
    siteConfig: { appSettings: [{ name: 'key', value: key }, { name: 'url', value: account.properties.primaryEndpoints.blob }] }
  }
}]

resource slot 'Microsoft.Web/sites/slots@2023-12-01' = {
  parent: sites[0]
  name: 'staging'
  location: location
  dependsOn: [account::blobs]
}

resource lock 'Microsoft.Authorization/locks@2020-05-01' = if (sku != 'Standard_LRS') {
  scope: account
  name: 'lock'
  properties: { level: 'CanNotDelete' }
}

output hosts array = [for i in range(0, length(containers)): sites[i].properties.defaultHostName]
output id string = account.id
output number int = -5
