// The module is compiled, and its findings are in its own file.
@allowed(['test', 'prod'])
param environment string
param location string = resourceGroup().location

var names = json(loadTextContent('names.json'))

module sites 'modules/site.bicep' = [for name in names: {
  name: 'site-${name}'
  params: {
    name: '${name}-${environment}'
    location: location
    minTlsVersion: environment == 'prod' ? '1.2' : '1.0'
  }
}]

resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'account${environment}'
  location: location
  kind: 'StorageV2'
  sku: { name: 'Standard_GRS' }
  properties: {
    supportsHttpsTrafficOnly: false
    allowBlobPublicAccess: false // formwork-ignore AZ-STORAGE-001: shown in reports as suppressed
  }
}
